#include "evaluators/compile/code_hash.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "evaluators/code/elf.hpp"
#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
using code::Elf;

namespace {

class RealCodeHash : public RealCompile {
 protected:
  static std::string hash(const std::string& source, const std::string& entry = "k") {
    const auto made = compile(source, entry);
    EXPECT_TRUE(made) << source << "\n" << made.error().evidence.front().message;
    return made ? made->code_hash : std::string();
  }
};

constexpr const char* kernel = R"(__constant__ float table[4] = {1, 2, 3, 4};
__device__ __noinline__ float helper(float x) { return x * x + 1.5f; }
extern "C" __global__ void k(float* o, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = helper(s[63 - threadIdx.x]) * table[n];
}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(RealCodeHash, CommentsLinesAndNamesOfLocalsDoNotCount) {
  const std::string base = hash(kernel);
  EXPECT_EQ(base, hash(std::string("// a comment\n\n\n") + kernel));
  EXPECT_EQ(base, hash(std::string("#line 900 \"elsewhere.cu\"\n") + kernel));
  EXPECT_EQ(base, hash(with(kernel, "float helper(float x) { return x * x",
                            "float helper(float y) { return y * y")));
  EXPECT_EQ(base, hash(std::string("#include <cuda_fp16.h>\n") + kernel));
  auto renamed = request_of(kernel);
  renamed.source_file = "another_name.cu";
  EXPECT_EQ(base, service->compile(renamed)->code_hash);
}

TEST_F(RealCodeHash, WhateverALaunchDependsOnCounts) {
  const std::string base = hash(kernel);
  EXPECT_NE(base, hash(with(kernel, "1.5f", "1.25f"))) << "a constant in a called function";
  EXPECT_NE(base, hash(with(kernel, "{1, 2, 3, 4}", "{1, 2, 3, 5}"))) << "a constant bank";
  EXPECT_NE(base, hash(with(kernel, "s[64]", "s[96]"))) << "the size of shared memory";
  EXPECT_NE(base, hash(with(kernel, "63 - threadIdx.x", "62 - threadIdx.x"))) << "an address";
  EXPECT_NE(base, hash(with(kernel, "float* o, int n", "float* o, int n, int m"))) << "the parameters";
  EXPECT_NE(base, hash(with(kernel, "void k(", "void __launch_bounds__(64) k("))) << "launch bounds";
  EXPECT_NE(base, hash(with(kernel, "  __syncthreads();\n", ""))) << "a barrier";
  auto other = request_of(kernel);
  other.arch = "sm_80";
  EXPECT_NE(base, service->compile(other)->code_hash);
}

TEST_F(RealCodeHash, GlobalsCount) {
  const std::string source =
      "__device__ int state[3] = {1, 2, 3};\nextern \"C\" __global__ void k(int* o) { o[0] = state[o[1]]++; "
      "}\n";
  EXPECT_NE(hash(source), hash(with(source, "{1, 2, 3}", "{1, 2, 4}")));
  EXPECT_NE(hash(source), hash(with(source, "state[3] = {1, 2, 3}", "state[3]")));
}

TEST_F(RealCodeHash, AnotherKernelOfTheModuleDoesNotCount) {
  const std::string source = "extern \"C\" __global__ void k(int* o) { o[0] = o[1] + 1; }\n";
  const std::string other =
      "extern \"C\" __global__ void zz(float* o) { __shared__ float s[9]; s[threadIdx.x] = o[0]; "
      "__syncthreads(); o[1] = s[8 - threadIdx.x]; }\n";
  EXPECT_EQ(hash(source), hash(source + other));
  EXPECT_EQ(hash(source), hash(other + source));
  EXPECT_NE(hash(source + other, "k"), hash(source + other, "zz"));
}

TEST_F(RealCodeHash, BrokenCubinsAreRefusedOrHashedButNeverCrash) {
  const auto made = compile(kernel);
  ASSERT_TRUE(made);
  const std::string& cubin = made->cubin;
  EXPECT_TRUE(code_hash(cubin, "k"));
  EXPECT_FALSE(code_hash(cubin, "q"));
  for (std::size_t size = 0; size < cubin.size(); size += 7)
    EXPECT_NO_THROW((void)code_hash(cubin.substr(0, size), "k"));
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string broken = cubin;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      // Half of the changes fall on the header and on the section table at the end.
      const std::size_t where = random() % 2   ? random() % broken.size()
                                : random() % 2 ? random() % 64
                                               : broken.size() - 1 - random() % 1600;
      broken[where] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    (void)code_hash(broken, "k");
  }
}

RC_GTEST_PROP(Elf, AnyBytesAreHandled, (const std::string& tail)) {
  (void)Elf::parse(tail);
  (void)Elf::parse(std::string("\x7f"
                               "ELF\x02\x01",
                               6) +
                   tail);
}

TEST(Elf, NotAnElf) {
  EXPECT_FALSE(Elf::parse(""));
  EXPECT_FALSE(Elf::parse(std::string(4096, '\0')));
  EXPECT_FALSE(code_hash("not a cubin", "k"));
}

TEST(Elf, ReadsThisExecutable) {
  std::string bytes;
  {
    FILE* file = std::fopen("/proc/self/exe", "rb");
    ASSERT_NE(file, nullptr);
    char chunk[65536];
    for (std::size_t got = 0; (got = std::fread(chunk, 1, sizeof chunk, file)) > 0;) bytes.append(chunk, got);
    std::fclose(file);
  }
  const auto elf = Elf::parse(bytes);
  ASSERT_TRUE(elf);
  ASSERT_NE(elf->find(".text"), nullptr);
  EXPECT_GT(elf->find(".text")->bytes.size(), 1000U);
  EXPECT_EQ(elf->find(".no.such"), nullptr);
}

}  // namespace
}  // namespace evo::evaluators::compile
