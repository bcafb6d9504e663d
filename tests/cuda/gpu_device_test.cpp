// The device suite on a real GPU. A fault takes the process's context down for good, so ctest runs each test
// in a process of its own.
#include "tests/cuda/device_suite.hpp"
#include "tests/cuda/nvrtc_kernels.hpp"

namespace evo::test {
namespace {

constexpr const char* kernels = R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void misaligned(float* a) {
  if (threadIdx.x == 0) *reinterpret_cast<float4*>(a + 1) = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void illegal(float* a) {
  if (threadIdx.x == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<unsigned long long>(a) + (1ull << 44)) = 1;
}
extern "C" __global__ void endless(float* a) {
  volatile float* watched = a;
  while (watched[0] != 12345.0f) {}
}
extern "C" __global__ void overrun(float* a, int n) {
  if (threadIdx.x == 0) a[n] = 1.0f;
}
extern "C" __global__ void underrun(float* a) {
  if (threadIdx.x == 0) a[-1] = 1.0f;
}
extern "C" __global__ void busy(float* a, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 0.999f + 1.0f;
  a[threadIdx.x] = x;
}
extern "C" __global__ void peek(unsigned* a) {
  extern __shared__ volatile unsigned found[];
  a[blockIdx.x * 32 + threadIdx.x] = found[threadIdx.x];
}
)";

class GpuSuiteDevice final : public SuiteDevice {
 public:
  std::unique_ptr<evaluators::devices::Device> open() override {
    arch_ = gpu_arch(why_not);
    if (arch_.empty()) return nullptr;
    return std::make_unique<evaluators::cuda::CudaDevice>(evaluators::cuda::open_context(0));
  }
  model::Artifact artifact(const std::string& entry) override {
    return compile_kernel(kernels, entry, arch_);
  }

 private:
  std::string arch_;
};

std::unique_ptr<SuiteDevice> gpu() {
  return std::make_unique<GpuSuiteDevice>();
}
INSTANTIATE_TEST_SUITE_P(Gpu, CudaDeviceSuite, testing::Values(&gpu));

}  // namespace
}  // namespace evo::test
