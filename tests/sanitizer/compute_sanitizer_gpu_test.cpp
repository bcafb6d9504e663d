// The real compute-sanitizer, through `evo launch-job`, on planted faults that each of its tools must see.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "evaluators/sanitizer/findings.hpp"
#include "tests/cuda/nvrtc_kernels.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::sanitizer {
namespace {

constexpr const char* kernels = R"(
#define PARAMETERS const float* a, const float* b, float* c, int n, int c_stride
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void right(PARAMETERS) {
  __shared__ float tile[32];
  const int i = INDEX;
  tile[threadIdx.x] = i < n ? a[i] + b[i] : 0.0f;
  __syncthreads();
  if (i < n) c[i * c_stride] = tile[threadIdx.x];
}
extern "C" __global__ void overrun(PARAMETERS) {
  const int i = INDEX;
  if (i <= n) c[i * c_stride] = i < n ? a[i] + b[i] : 1.0f;
}
extern "C" __global__ void race(PARAMETERS) {
  __shared__ float tile[64];
  const int i = INDEX;
  tile[threadIdx.x] = i < n ? a[i] + b[i] : 0.0f;
  const float other = tile[(threadIdx.x + 32) % 64];
  if (i < n) c[i * c_stride] = tile[threadIdx.x] + (other > 1e30f ? 1.0f : 0.0f);
}
extern "C" __global__ void uninitialised(PARAMETERS) {
  const int i = INDEX;
  if (i < n) c[i * c_stride] = c[i * c_stride] * 0.0f + a[i] + b[i];
}
extern "C" __global__ void divergent(PARAMETERS) {
  const int i = INDEX;
  if (threadIdx.x < 16) __syncthreads();
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
)";

/// EVO_BINARY_PATH in the environment names evo when the tests run away from their build folder.
std::string evo_path() {
  const char* const moved = std::getenv("EVO_BINARY_PATH");
  return moved != nullptr ? moved : EVO_BINARY;
}

Report watch(const std::string& entry, const std::string& arch, unsigned threads = 32) {
  gates::DeviceJob job;
  job.artifact = test::compile_kernel(kernels, entry, arch);
  job.oracle = "vector_add";
  job.input_sets = {{"normal", "normal", {}}};
  job.cases = {tests::vector_add_case(255, false, "dense"), tests::vector_add_case(70, true, "gaps")};
  for (model::Case& bound : job.cases) {
    bound.launch.block = {threads, 1, 1};
    bound.launch.grid = {static_cast<unsigned>(bound.axes.at("n")) / threads + 1, 1, 1};
  }
  job.workload_count = 2;
  job.input_seed = 7;
  return run_compute_sanitizer(job,
                               {{evo_path(), "launch-job", "--device", "cuda:0"}, std::chrono::minutes(2)});
}

class RealSanitizer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    arch_ = test::gpu_arch(why);
    if (arch_.empty()) GTEST_SKIP() << why;
    if (!find_compute_sanitizer()) GTEST_SKIP() << "compute-sanitizer is not installed";
  }
  std::string arch_;
};

void expect_refused(const Report& report, const std::string& tool, const std::string& kind) {
  const auto failure = report.failure();
  ASSERT_TRUE(failure) << report.text();
  const bool seen =
      std::any_of(failure->evidence.begin(), failure->evidence.end(), [&](const model::Evidence& found) {
        return found.kind == kind && detail_of(found, "tool") == tool && found.file == "suite.cu" &&
               found.line > 0;
      });
  EXPECT_TRUE(seen) << report.text() << failure->evidence.front().message;
}

TEST_F(RealSanitizer, ARightKernelIsCleanForAllTools) {
  const Report report = watch("right", arch_);
  for (const ToolRun& run : report.runs)
    EXPECT_EQ(run.state, ToolRun::State::clean) << run.tool << ": " << report.text();
}

TEST_F(RealSanitizer, MemcheckSeesTheFirstElementPastAnOutput) {
  expect_refused(watch("overrun", arch_), "memcheck", "out_of_bounds");
}

TEST_F(RealSanitizer, RacecheckSeesAMissingBarrier) {
  expect_refused(watch("race", arch_, 64), "racecheck", "race_shared");
}

TEST_F(RealSanitizer, InitcheckSeesAReadOfAnUnwrittenOutput) {
  expect_refused(watch("uninitialised", arch_), "initcheck", "uninitialized");
}

TEST_F(RealSanitizer, SynccheckSeesABarrierThatNotAllReach) {
  expect_refused(watch("divergent", arch_), "synccheck", "barrier_divergence");
}

}  // namespace
}  // namespace evo::evaluators::sanitizer
