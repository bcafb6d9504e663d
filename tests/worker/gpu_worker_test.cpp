// The job suite with real workers on a real GPU.
#include <cstdlib>

#include "tests/cuda/nvrtc_kernels.hpp"
#include "tests/worker/job_suite.hpp"

namespace evo::test {
namespace {

constexpr const char* kernels = R"(
#define PARAMETERS const float* a, const float* b, float* c, int n
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void add(PARAMETERS) {
  int i = INDEX;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void wrong(PARAMETERS) {
  int i = INDEX;
  if (i < n) c[i] = i == 77 ? a[i] - b[i] + 1.0f : a[i] + b[i];
}
extern "C" __global__ void stale(PARAMETERS) {
  int i = INDEX;
  if (i < n) c[i] += a[i] + b[i];
}
extern "C" __global__ void misaligned(PARAMETERS) {
  if (INDEX == 0) *reinterpret_cast<float4*>(c + 1) = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void illegal(PARAMETERS) {
  if (INDEX == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<unsigned long long>(c) + (1ull << 44)) = 1;
}
extern "C" __global__ void endless(PARAMETERS) {
  volatile float* watched = c;
  while (watched[0] != 12345.0f) {}
}
extern "C" __global__ void overrun(PARAMETERS) {
  int i = INDEX;
  if (i < n) c[i] = a[i] + b[i];
  if (i == n) c[i] = 0.0f;
}
extern "C" __global__ void leftover(PARAMETERS) {
  __shared__ volatile unsigned found[128];
  int i = INDEX;
  if (i < n) c[i] = a[i] + b[i] + (found[threadIdx.x] != 0 ? 1.0f : 0.0f);
}
extern "C" __global__ void few_parameters(const float* a, float* c) { c[0] = a[0]; }
)";

/// EVO_REAL_WORKER_PATH in the environment names the worker when the tests run away from their build folder.
std::string worker_path() {
  const char* const moved = std::getenv("EVO_REAL_WORKER_PATH");
  return moved != nullptr ? moved : EVO_REAL_WORKER;
}

class GpuSource final : public JobSource {
 public:
  GpuSource() : arch_(gpu_arch(why_not)) {}
  std::vector<std::string> command() override { return {worker_path(), "cuda:0"}; }
  model::Artifact artifact(const std::string& entry) override {
    return compile_kernel(kernels, entry, arch_);
  }

 private:
  std::string arch_;
};

std::unique_ptr<JobSource> gpu() {
  return std::make_unique<GpuSource>();
}
INSTANTIATE_TEST_SUITE_P(Gpu, DeviceJobSuite, testing::Values(&gpu));

}  // namespace
}  // namespace evo::test
