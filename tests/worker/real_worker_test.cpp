// The real worker where it cannot work: what the pool then says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/worker/pool.hpp"
#include "model/error.hpp"

namespace evo::test {
namespace {

using evaluators::worker::DeviceWorkerPool;
using evaluators::worker::DeviceWorkerPoolOptions;

std::string refusal_of(const std::string& device, model::ExitCode expected) {
  DeviceWorkerPoolOptions options;
  options.commands = {{EVO_REAL_WORKER, device}};
  try {
    DeviceWorkerPool pool(std::move(options));
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), expected);
    return error.what();
  }
  return "it came up";
}

TEST(RealWorker, SaysWhyItCannotOpenItsDevice) {
  const auto list = evaluators::cuda::list_cuda_devices();
  const std::string wanted = list.devices.empty() ? list.reason.substr(0, 20) : "cuda:63";
  EXPECT_THAT(refusal_of("cuda:63", model::ExitCode::environment), testing::HasSubstr(wanted));
}

TEST(RealWorker, RefusesADeviceThatIsNoGpu) {
  EXPECT_THAT(refusal_of("virtual", model::ExitCode::usage), testing::HasSubstr("cuda:N"));
}

}  // namespace
}  // namespace evo::test
