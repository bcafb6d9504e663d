// A worker that is real but for the driver: serve() over CudaDevice over the fake driver, with the job
// suite's kernels as C++ functions.
#include <unistd.h>

#include <memory>

#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/worker/protocol.hpp"
#include "evaluators/worker/serve.hpp"
#include "tests/cuda/fake_gpu.hpp"
#include "tests/support/known.hpp"

using namespace evo;

namespace {

template <class PerElement>
test::FakeKernel elementwise(PerElement compute) {
  return {{8, 8, 8, 4}, [compute](const test::FakeLaunch& launch) {
            const auto* a = launch.argument<const float*>(0);
            const auto* b = launch.argument<const float*>(1);
            auto* c = launch.argument<float*>(2);
            const int n = launch.argument<int>(3);
            for (int i = 0; i < n; ++i) c[i] = compute(a[i], b[i], c[i], i);
          }};
}

void add_kernels(test::FakeGpu& gpu) {
  const auto add = [](float a, float b, float, int) { return a + b; };
  gpu.kernels["add"] = elementwise(add);
  gpu.kernels["wrong"] =
      elementwise([](float a, float b, float, int i) { return i == 77 ? a - b + 1 : a + b; });
  gpu.kernels["stale"] = elementwise([](float a, float b, float c, int) { return a + b + c; });
  gpu.kernels["misaligned"] = elementwise(add);
  gpu.kernels["misaligned"].fault = CUDA_ERROR_MISALIGNED_ADDRESS;
  gpu.kernels["illegal"] = elementwise(add);
  gpu.kernels["illegal"].fault = CUDA_ERROR_ILLEGAL_ADDRESS;
  gpu.kernels["endless"] = elementwise(add);
  gpu.kernels["endless"].endless = true;
  gpu.kernels["overrun"] = {
      {8, 8, 8, 4}, [](const test::FakeLaunch& launch) {
        const int n = launch.argument<int>(3);
        for (int i = 0; i <= n; ++i) {
          launch.argument<float*>(2)[i] =
              i < n ? launch.argument<const float*>(0)[i] + launch.argument<const float*>(1)[i] : 0.0f;
        }
      }};
  gpu.kernels["few_parameters"] = {{8, 8}, {}};
  const auto shared = std::make_shared<std::uint32_t>(0);
  gpu.kernels["evo_fill_shared"].body = [shared](const test::FakeLaunch& launch) {
    *shared = launch.argument<std::uint32_t>(0);
  };
  gpu.kernels["leftover"] =
      elementwise([shared](float a, float b, float, int) { return a + b + (*shared != 0 ? 1.0f : 0.0f); });
}

}  // namespace

int main() {
  test::FakeGpu gpu;
  add_kernels(gpu);
  const auto context = std::make_shared<evaluators::cuda::CudaContext>(gpu.driver(), 0);
  const int code = evaluators::worker::serve(
      context->info(),
      [&context](std::function<void()> progress) {
        return std::make_unique<evaluators::cuda::CudaDevice>(context, std::move(progress));
      },
      evo::tests::known());
  if (code == evaluators::worker::device_lost_exit) ::_exit(code);
  return code;
}
