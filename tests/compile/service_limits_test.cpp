// What a source may read, and how long and with how much memory it may compile: the compile worker's sandbox.
#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "evaluators/compile/service.hpp"
#include "evaluators/process/confine.hpp"
#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RealCompile, NoFileOfTheMachineCanBeRead) {
  for (const char* line :
       {"#include \"/etc/passwd\"", "%:include \"/etc/passwd\"", "#define X \"/etc/passwd\"\n#include X",
        "#include \"../../../../../etc/passwd\"", "#include_next \"/etc/passwd\""}) {
    const auto failed = compile(std::string(line) + "\nextern \"C\" __global__ void k() {}\n");
    ASSERT_FALSE(failed) << line;
    EXPECT_EQ(failed.error().status, model::Status::compile_error);
    EXPECT_EQ(failed.error().reason, "forbidden_include") << explain(failed.error());
    EXPECT_THAT(explain(failed.error()), Not(HasSubstr("root:")));
  }
  auto request = request_of("#include \"h.cuh\"\nextern \"C\" __global__ void k() {}\n");
  request.headers["h.cuh"] = "\n#include \"/etc/passwd\"\n";
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().evidence.at(0).file, "h.cuh");
  EXPECT_EQ(failed.error().evidence.at(0).line, 2);
}

TEST_F(RealCompile, AHeaderThatIsNowhereIsAnOrdinaryError) {
  const auto failed = compile("\n#include <vector>\nextern \"C\" __global__ void k() {}\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "include_not_found");
  EXPECT_EQ(failed.error().evidence.at(0).line, 2);
}

// Past the scan: a name that token pasting hides from it. The worker's own confinement must hold.
TEST_F(RealCompile, TheWorkerCannotSeeFilesEvenWhenTheScanIsDeceived) {
  if (!service->greeting().confined) GTEST_SKIP() << "this kernel has no Landlock";
  const auto made = compile(
      "#define CAT(a, b) a##b\n#if CAT(__has_, include)(\"/etc/passwd\")\n#error it is there\n#endif\n"
      "extern \"C\" __global__ void k(int* o) { o[0] = 1; }\n");
  EXPECT_TRUE(made) << explain(made.error());
}

TEST_F(RealCompile, TheWorkerIsWalledInWhereTheKernelAllowsIt) {
  const WorkerGreeting greeting = service->greeting();
  const process::Sandbox sandbox = process::available_sandbox();
  EXPECT_EQ(greeting.confined, sandbox.landlock > 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(greeting.filtered, sandbox.seccomp);
#endif
}

TEST_F(RealCompile, ATemplateBombEndsWithItsTime) {
  auto request = request_of(
      R"(template <int N, int M> struct bomb {
  static constexpr long v = bomb<N - 1, M>::v + bomb<N - 1, M + N>::v;
};
template <int M> struct bomb<0, M> { static constexpr long v = M; };
extern "C" __global__ void k(long* o) { o[0] = bomb<150, 1>::v; }
)");
  request.timeout_s = 2;
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_timeout) << explain(failed.error());
  EXPECT_EQ(failed.error().reason, "time");
  EXPECT_TRUE(compile(half_kernel)) << "the pool goes on";
}

TEST_F(RealCompile, AnUnrollBombEndsWithItsTime) {
  auto request = request_of(R"(extern "C" __global__ void k(float* o) {
  float x[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i] = o[i];
#pragma unroll
  for (int i = 0; i < 128; ++i)
#pragma unroll
    for (int j = 0; j < 64; ++j)
#pragma unroll
      for (int l = 0; l < 16; ++l) x[j] = x[(j + 1) % 64] * o[i * l] + sinf(x[(l * j) % 64]);
#pragma unroll
  for (int i = 0; i < 64; ++i) o[i] = x[i];
}
)");
  request.timeout_s = 2;
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_timeout) << explain(failed.error());
}

TEST_F(RealCompile, AMemoryBombEndsWithItsLimit) {
  std::string macros = "#define X0 1,1,1,1,1,1,1,1,1,1\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "X" + std::to_string(i - 1);
    macros += "#define X" + std::to_string(i) + " ";
    for (int k = 0; k < 10; ++k) macros += (k > 0 ? "," : "") + before;
    macros += "\n";
  }
  auto request = request_of(
      macros +
      "__device__ int table[] = {X8};\nextern \"C\" __global__ void k(int* o) { o[0] = table[o[1]]; }\n");
  request.timeout_s = 60;
  request.memory_mb = 300;
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_timeout) << explain(failed.error());
  EXPECT_EQ(failed.error().reason, "memory");
  EXPECT_TRUE(compile(half_kernel)) << "the pool goes on";
}

}  // namespace
}  // namespace evo::evaluators::compile
