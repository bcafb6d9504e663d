#include "evaluators/compile/service.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "evaluators/process/confine.hpp"
#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RealCompile, OneCompileGivesPtxCubinAndResources) {
  for (const char* arch : {"sm_80", "sm_89", "sm_90a"}) {
    auto request = request_of(half_kernel);
    request.arch = arch;
    const auto made = service->compile(request);
    ASSERT_TRUE(made) << explain(made.error());
    EXPECT_THAT(made->ptx, HasSubstr(std::string(".target ") + arch));
    EXPECT_THAT(made->ptx, HasSubstr(".entry k("));
    EXPECT_THAT(made->ptx, HasSubstr("\"candidate.cu\""));
    EXPECT_THAT(made->ptx, Not(HasSubstr("/candidate.cu\""))) << "the line table must not depend on a folder";
    EXPECT_EQ(made->cubin.substr(1, 3), "ELF");
    EXPECT_EQ(made->resources.static_smem_bytes, 128);
    EXPECT_EQ(made->resources.barriers, 1);
    EXPECT_GT(made->resources.registers, 0);
    EXPECT_EQ(made->code_hash.size(), 64U);
    EXPECT_EQ(made->entry, "k");
    EXPECT_EQ(made->arch, arch);
    EXPECT_EQ(made->compiler, service->version());
    EXPECT_THAT(made->compiler_log, HasSubstr("registers"));
    EXPECT_FALSE(made->from_cache);
    EXPECT_GT(made->compile_ms, 0);
  }
}

TEST_F(RealCompile, TwiceTheSameSourceGivesTheSameBytes) {
  const auto first = compile(half_kernel), second = compile(half_kernel);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_EQ(first->cubin, second->cubin);
  EXPECT_EQ(first->compiler_log, second->compiler_log);
}

TEST_F(RealCompile, VersionTellsTheBuild) {
  EXPECT_THAT(service->version(), ::testing::MatchesRegex("NVRTC [0-9]+\\.[0-9]+(\\.[0-9]+)?"));
}

TEST_F(RealCompile, StandardHeadersThatNvrtcLacks) {
  const auto made = compile(R"(#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
static_assert(sizeof(int64_t) == 8 && sizeof(std::uint16_t) == 2 && sizeof(uintptr_t) == sizeof(void*), "");
static_assert(INFINITY > FLT_MAX && -INFINITY < -FLT_MAX && HUGE_VAL > DBL_MAX, "");
static_assert(NAN != NAN && INT_MAX == INT32_MAX && UINT64_MAX == ULLONG_MAX && CHAR_BIT == 8, "");
struct Pair { char first; double second; };
static_assert(offsetof(Pair, second) == 8, "");
constexpr float largest = FLT_MAX;
extern "C" __global__ void k(float* o, std::size_t n) {
  assert(n > 0);
  if (o == NULL) printf("no output %f\n", M_PI);
  o[n] = isinf(o[0]) ? largest : fmaxf(o[1], -INFINITY);
}
)");
  ASSERT_TRUE(made) << explain(made.error());
}

TEST_F(RealCompile, WhatNvccTakesOfTheStandardLibrary) {
  const auto made = compile(R"(#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
static_assert(std::is_trivial_v<int> && std::is_standard_layout_v<int> && std::is_scalar_v<int*>, "");
static_assert(std::conjunction_v<std::true_type, std::is_same<int, int>> && !std::negation_v<std::true_type>, "");
static_assert(std::is_same_v<std::invoke_result_t<int (*)(float), float>, int>, "");
static_assert(std::extent<int[3]>::value == 3 && std::rank<int[3][2]>::value == 2, "");
static_assert(std::tuple_size<std::array<int, 2>>::value == 2, "");
extern "C" __global__ void k(float* f, int* i, int n) {
  f[0] = std::nearbyint(f[0]) + std::scalbn(f[1], 2) + std::nan("");
  int exponent;
  f[1] = std::frexp(f[1], &exponent);
  f[2] = std::sqrt(n) + std::pow(2, n) + pow(f[0], 2.0) + fmax(f[1], 0.0) + fmod(n, 3) + floor(n / 3);
  i[0] = std::max({i[0], i[1], i[2]}) + std::minmax(i[3], i[4]).first + std::gcd(i[5], i[6]);
  std::swap(f[3], f[4]);
  std::sort(f, f + 4);
  std::iota(i + 8, i + 12, n);
  std::array<float, 4> a{1, 2, 3, 4};
  a.fill(2.f);
  auto [p, q, r, s] = a;
  f[5] = p + q + r + s + a.front() + a.back() + std::get<1>(a) + *std::max_element(a.begin(), a.end());
  const auto [x, y] = std::make_pair(1, 2.f);
  std::tuple<int, float> both(x, y);
  f[6] = std::get<1>(both) + std::plus<>()(f[0], n) + std::plus<float>()(f[0], 1) + std::negate<int>()(n);
  i[1] = std::equal_to<int>()(n, 3) + std::popcount(7u) + static_cast<int>(std::distance(f, f + 3));
  std::complex<float> c(f[0], f[1]);
  f[7] = (c * c).real() + std::abs(c) + std::norm(std::conj(c)) + std::abs(f[0]) + std::abs(n);
  std::byte b{3};
  i[2] = std::to_integer<int>(b | b) + static_cast<int>(std::uint_least8_t(n));
  std::memcpy(f + 8, i, 8);
  new (f + 9) float(3.f);
}
)");
  ASSERT_TRUE(made) << explain(made.error());
}

TEST_F(RealCompile, FunctionsOfMixedNumbersAreComputedInDouble) {
  const auto made = compile(R"(extern "C" __global__ void k(double* d, float f, int n) {
  static_assert(sizeof(sqrt(n)) == 8 && sizeof(pow(n, n)) == 8 && sizeof(pow(f, 2.0)) == 8, "");
  static_assert(sizeof(sqrt(f)) == 4 && sizeof(pow(f, f)) == 4 && sizeof(fmax(f, f)) == 4, "");
  d[0] = sqrt(n) + exp(n) + atan2(n, n) + fmin(2.0, f);
}
)");
  ASSERT_TRUE(made) << explain(made.error());
}

TEST_F(RealCompile, ToolkitHeadersNextToOurs) {
  const std::string ours =
      "#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n#include <math.h>\n";
  const std::string theirs =
      "#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n#include <cuda/std/cfloat>\n";
  const std::string kernel =
      "extern \"C\" __global__ void k(uint64_t* o) { o[0] = cuda::std::numeric_limits<uint64_t>::max() - "
      "INT8_MAX; }\n";
  for (const auto& source : {ours + theirs + kernel, theirs + ours + kernel}) {
    const auto made = compile(source);
    ASSERT_TRUE(made) << explain(made.error());
  }
}

TEST_F(RealCompile, HeadersOfTheRequest) {
  auto request =
      request_of("#include \"tile.cuh\"\nextern \"C\" __global__ void k(int* o) { o[0] = tile(); }\n");
  request.headers["tile.cuh"] = "#include <stdint.h>\n__device__ int32_t tile() { return 77; }\n";
  const auto made = service->compile(request);
  ASSERT_TRUE(made) << explain(made.error());
  EXPECT_THAT(made->ptx, HasSubstr("77"));
}

TEST_F(RealCompile, OptionsReachTheCompiler) {
  auto request = request_of("extern \"C\" __global__ void k(float* o) { o[0] = o[1] * o[2] + o[3]; }\n");
  const auto fused = service->compile(request);
  request.options = {"--fmad=false", "--std=c++20"};
  const auto separate = service->compile(request);
  ASSERT_TRUE(fused && separate);
  EXPECT_NE(fused->code_hash, separate->code_hash);
  request.options = {"--no-such-option"};
  const auto refused = service->compile(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "invalid_option");
}

TEST_F(RealCompile, ErrorsNameTheCandidatesFileAndLine) {
  auto request = request_of(
      "#define BLOCK_M 64\n#line 1 \"scalar.cu\"\n\nextern \"C\" __global__ void k() { foo(); }\n");
  request.source_file = "scalar.cu";
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_error);
  EXPECT_EQ(failed.error().reason, "source_error");
  ASSERT_EQ(failed.error().evidence.size(), 1U);
  EXPECT_EQ(failed.error().evidence[0].kind, "error");
  EXPECT_EQ(failed.error().evidence[0].file, "scalar.cu");
  EXPECT_EQ(failed.error().evidence[0].line, 2);
  EXPECT_THAT(failed.error().evidence[0].message, HasSubstr("foo"));
}

TEST_F(RealCompile, ASourceFileInAFolderKeepsItsName) {
  auto request = request_of("extern \"C\" __global__ void k(int* o) { o[0] = 1; }\n");
  request.source_file = "/some/where/mine.cu";
  const auto made = service->compile(request);
  ASSERT_TRUE(made) << explain(made.error());
  EXPECT_THAT(made->ptx, HasSubstr("\"/some/where/mine.cu\""));
  EXPECT_EQ(made->source_file, "/some/where/mine.cu");
  request.source = "broken\n";
  const auto failed = service->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().evidence.front().file, "/some/where/mine.cu");
}

TEST_F(RealCompile, BadInlineAssemblyIsFoundWithItsSourceLine) {
  const auto failed = compile(
      "extern \"C\" __global__ void k(float* o) {\n  asm volatile(\"bogus.f32 %0;\" ::\"f\"(o[0]));\n}\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "ptxas_error");
  EXPECT_THAT(failed.error().evidence.at(0).message, HasSubstr("bogus"));
}

TEST_F(RealCompile, TooMuchStaticSharedMemory) {
  const auto failed = compile(
      "extern \"C\" __global__ void k(float* o) { __shared__ float s[20000]; s[threadIdx.x] = o[0]; "
      "__syncthreads(); o[threadIdx.x] = s[5 + threadIdx.x]; }\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "too_much_shared_memory");
}

TEST_F(RealCompile, AMissingEntryIsSaid) {
  for (const char* source : {"__global__ void k(int* o) { o[0] = 1; }\n"
                             "__global__ void k(float* o) { o[0] = 1; }\n",  // which one?
                             "extern \"C\" __global__ void other(int* o) { o[0] = 1; }\n", "\n",
                             "extern \"C\" __device__ int k(int o) { return o; }\n"}) {
    const auto failed = compile(source);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().reason, "no_entry") << source;
    EXPECT_THAT(failed.error().evidence.at(0).message, HasSubstr("k("));
  }
}

TEST_F(RealCompile, AHeaderAboveTheSourceIsNotTaken) {
  const auto above = compile("#include \"../x.cuh\"\nextern \"C\" __global__ void k(int* o) { o[0] = 1; }\n");
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().evidence.at(0).line, 1);
  EXPECT_THAT(above.error().evidence.at(0).message, HasSubstr("evo new"));
  const auto beside = compile("#include \"x.cuh\"\nextern \"C\" __global__ void k(int* o) { o[0] = 1; }\n");
  ASSERT_FALSE(beside);
  EXPECT_EQ(beside.error().evidence.at(0).message.find("evo new"), std::string::npos);
}

TEST_F(RealCompile, AKernelInANamespaceWithoutANameIsFoundByItsOwn) {
  const auto found = compile(
      "namespace { __global__ void k(int* o) { o[0] = 1; } __global__ void kk(int* o) { o[0] = 2; } }\n");
  ASSERT_TRUE(found) << found.error().evidence.at(0).message;
  EXPECT_THAT(found->entry, HasSubstr("1kE"));
  // A name is needed where there is one.
  EXPECT_FALSE(compile("namespace ns { namespace { __global__ void k(int* o) { o[0] = 1; } } }\n"));
  EXPECT_FALSE(compile("namespace { __global__ void kk(int* o) { o[0] = 1; } }\n"));
  // And of two nobody knows which.
  EXPECT_FALSE(
      compile("namespace { __global__ void k(int* o) { o[0] = 1; } __global__ void k(float* o) {} }\n"));
}

TEST_F(RealCompile, OverloadsAreListed) {
  const auto failed = compile(
      "__global__ void k(int* o) { o[0] = 1; }\n__global__ void k(const float* x, int n) {}\n"
      "__global__ void other(int* o) { o[0] = 1; }\n");
  ASSERT_FALSE(failed);
  const std::string text = failed.error().evidence.at(0).message;
  EXPECT_THAT(text, HasSubstr("k(int*)"));
  EXPECT_THAT(text, HasSubstr("k(float const*, int)"));
  EXPECT_EQ(text.find("other"), std::string::npos) << text;
}

TEST_F(RealCompile, KernelsAreNamedAsInCxx) {
  const auto plain = compile("__global__ void k(int* o) { o[0] = 1; }\n");
  ASSERT_TRUE(plain) << explain(plain.error());
  EXPECT_EQ(plain->entry, "_Z1kPi");
  EXPECT_GT(plain->resources.registers, 0);
  const auto instance = compile(
      "namespace n { template <class T, int N> __global__ void k(T* o) { o[N] = 1; } }\n", "n::k<float, 3>");
  ASSERT_TRUE(instance) << explain(instance.error());
  EXPECT_THAT(instance->ptx, HasSubstr(".entry " + instance->entry));
  EXPECT_FALSE(compile("template <class T> __global__ void k(T* o) { o[0] = 1; }\n", "l<float>"));
}

TEST_F(RealCompile, AnUnknownArchitectureIsAnEnvironmentError) {
  auto request = request_of(half_kernel);
  request.arch = "sm_999";
  EXPECT_THROW((void)service->compile(request), model::Exception);
}

TEST_F(RealCompile, ManyThreadsShareThePool) {
  std::atomic<int> correct = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) {
        const std::string value = std::to_string(1000 + 10 * t + i);
        const auto made = compile("extern \"C\" __global__ void k(int* o) { o[0] = " + value + "; }\n");
        correct += made && made->ptx.find(value) != std::string::npos;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(correct, 12);
}

TEST_F(RealCompile, AWorkerIsReplacedAfterItsShare) {
  auto options = test_options();
  options.recycle_after = 2;
  CompileService fresh(options);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(fresh.compile(request_of("extern \"C\" __global__ void k(int* o) { o[0] = 1; }\n")));
  }
  EXPECT_EQ(fresh.workers_started(), 3);
}

TEST_F(RealCompile, ACrashIsTriedOnceMore) {
  const auto marker =
      std::filesystem::temp_directory_path() / ("evo_crash_once_" + std::to_string(::getpid()));
  auto options = test_options();
  options.worker_command = {EVO_TEST_WORKER, "crash-once", marker.string()};
  CompileService shaky(options);
  const auto made = shaky.compile(request_of(half_kernel));
  EXPECT_TRUE(made) << explain(made.error());
  EXPECT_EQ(shaky.workers_started(), 2);
  std::filesystem::remove(marker);
}

TEST(CompileService, ACompilerThatAlwaysCrashesIsAVerdict) {
  for (const char* mode : {"crash-always", "nonsense"}) {
    ServiceOptions options = test_options();
    options.worker_command = {EVO_TEST_WORKER, mode};
    CompileService service(options);
    for (int i = 0; i < 2; ++i) {
      const auto failed = service.compile(request_of("x"));
      ASSERT_FALSE(failed);
      EXPECT_EQ(failed.error().status, model::Status::compile_error);
      EXPECT_EQ(failed.error().reason, "compiler_crash");
    }
  }
}

TEST(CompileService, AWorkerThatDoesNotStartIsAnEnvironmentError) {
  for (const char* mode : {"no-greeting", "unknown"}) {
    ServiceOptions options = test_options();
    options.worker_command = {EVO_TEST_WORKER, mode};
    CompileService service(options);
    EXPECT_THROW((void)service.compile(request_of("x")), model::Exception);
    EXPECT_THROW((void)service.version(), model::Exception) << "the place of the failed worker is free again";
  }
}

TEST(CompileService, ForbiddenIncludesNeedNoWorker) {
  ServiceOptions options;
  options.worker_command = {"/no/such/worker"};
  CompileService service(options);
  const auto failed = service.compile(request_of("#include \"/etc/passwd\"\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "forbidden_include");
}

TEST(CompileService, WithoutNvrtcItSaysWhatToInstall) {
  ::setenv("EVO_NVRTC", "/no/such/libnvrtc.so.13", 1);
  CompileService service(test_options());
  try {
    (void)service.version();
    ADD_FAILURE() << "no exception";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("CUDA Toolkit"));
    EXPECT_THAT(error.what(), HasSubstr("/no/such/libnvrtc.so.13"));
  }
  ::unsetenv("EVO_NVRTC");
}

}  // namespace
}  // namespace evo::evaluators::compile
