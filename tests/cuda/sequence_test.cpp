// Several kernels as one launch, and variables of the module, as the driver is asked for them.
#include <gtest/gtest.h>

#include <cstring>

#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {
namespace {

using namespace evaluators::devices;
using evaluators::cuda::CudaContext;
using evaluators::cuda::CudaDevice;

struct CudaSequence : ::testing::Test {
  FakeGpu gpu;
  std::vector<std::string> order;
  std::vector<int> seen;  ///< first element of the zeroed buffer, when a kernel starts

  CudaSequence() {
    const auto kernel = [&](const std::string& name, std::size_t parameters) {
      gpu.kernels[name] = {std::vector<std::size_t>(parameters, 8), [this, name](const FakeLaunch& launch) {
                             order.push_back(name);
                             int* sum = launch.argument<int*>(0);
                             seen.push_back(*sum);
                             ++*sum;
                           }};
    };
    kernel("first", 1);
    kernel("second", 2);
    gpu.variables["_ZN2ns5tableE"].resize(16);
  }
  static model::Artifact artifact() {
    model::Artifact made;
    made.entry = "first";
    made.others = {{"second", {}}};
    made.arch = "sm_90";
    made.cubin = "ELF";
    made.ptx = ".const .align 4 .b8 _ZN2ns5tableE[16];\n";
    return made;
  }
  static model::LaunchPlan plan() {
    model::LaunchPlan all;
    all.block = {32, 1, 1};
    all.arguments = std::vector<std::uint32_t>{1};
    model::LaunchPlan then;
    then.block = {64, 1, 1};
    then.kernel = 1;
    then.arguments = std::vector<std::uint32_t>{1, 0};
    all.then = {then};
    return all;
  }
  std::vector<KernelArgument> arguments(Device& device) {
    BufferSpec sum{16, 0, "sum"};
    sum.zeroed = true;
    return {BufferArgument{device.allocate({16, 0, "x"}).value()},
            BufferArgument{device.allocate(sum).value()}};
  }
};

TEST_F(CudaSequence, KernelsStartInOrderAndZeroesComeBeforeTheFirst) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const ModuleId module = device.load(artifact()).value();
  const auto given = arguments(device);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(device.launch(module, plan(), given, {}));
  ASSERT_TRUE(device.synchronize());
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "first", "second"}));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 0, 1}));
  ASSERT_EQ(gpu.launches.size(), 4U);
  EXPECT_EQ(gpu.launches[1].block[0], 64U);
  EXPECT_EQ(gpu.launches[1].argument<CUdeviceptr>(0), gpu.launches[0].argument<CUdeviceptr>(0));
}

TEST_F(CudaSequence, AllKernelsAreInTheGraphThatIsTimed) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const ModuleId module = device.load(artifact()).value();
  const std::vector<std::vector<KernelArgument>> sets{arguments(device), arguments(device)};
  const auto timing = device.time(module, plan(), sets, {0, 3, 5});
  ASSERT_TRUE(timing);
  ASSERT_EQ(order.size(), 30U);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 2 == 0 ? "first" : "second");
  for (const double sample : timing->samples_us) EXPECT_NEAR(sample, 20.0, 0.01) << "both, as one launch";
}

TEST_F(CudaSequence, AParameterThatIsMissingIsTheCandidates) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const ModuleId module = device.load(artifact()).value();
  model::LaunchPlan wrong = plan();
  wrong.then[0].arguments = std::vector<std::uint32_t>{1};
  const auto launched = device.launch(module, wrong, arguments(device), {});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().reason, "argument_mismatch");
  EXPECT_TRUE(gpu.launches.empty()) << "nothing of a plan starts that cannot be made";
}

TEST_F(CudaSequence, VariablesAreFilledBeforeEachLaunchAndOnceBeforeATimedOne) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const ModuleId module = device.load(artifact()).value();
  const auto given = arguments(device);
  const BufferId x = std::get<BufferArgument>(given[0]).buffer;
  model::LaunchPlan with = plan();
  with.symbols = {{0, "ns::table"}, {0, "absent"}};
  const auto holds = [&](int value) {
    int found = 0;
    std::memcpy(&found, gpu.variables["_ZN2ns5tableE"].data(), sizeof found);
    return found == value;
  };
  for (const int value : {7, 9}) {
    const std::vector<int> values(4, value);
    ASSERT_TRUE(device.write(x, std::as_bytes(std::span(values))));
    ASSERT_TRUE(device.launch(module, with, given, {}));
    ASSERT_TRUE(device.synchronize());
    EXPECT_TRUE(holds(value));
  }
  const std::vector<int> values(4, 11);
  ASSERT_TRUE(device.write(x, std::as_bytes(std::span(values))));
  const std::vector<std::vector<KernelArgument>> sets{given};
  ASSERT_TRUE(device.time(module, with, sets, {0, 1, 1}));
  EXPECT_TRUE(holds(11));
}

TEST_F(CudaSequence, AVariableThatIsTooSmallIsRefused) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const ModuleId module = device.load(artifact()).value();
  model::LaunchPlan with = plan();
  with.symbols = {{0, "ns::table"}};
  std::vector<KernelArgument> given = arguments(device);
  given[0] = BufferArgument{device.allocate({64, 0, "large"}).value()};
  const auto launched = device.launch(module, with, given, {});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().status, model::Status::launch_error);
  EXPECT_EQ(launched.error().reason, "symbol_size");
}

/// Of two kernels of a module the one that waits for its whole grid.
TEST_F(CudaSequence, BlocksAtWorkAtOnceAreThoseOfAllMultiprocessors) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  const auto module = device.load(artifact());
  ASSERT_TRUE(module);
  // The fake GPU has four of 2048 threads each.
  EXPECT_EQ(device.resident_blocks(*module, plan()).value(), 4 * 2048 / 32);
  EXPECT_EQ(device.resident_blocks(*module, plan().then[0]).value(), 4 * 2048 / 64);
}

TEST_F(CudaSequence, WhoWaitsForTheGridIsLaunchedCooperatively) {
  CudaDevice device(std::make_shared<CudaContext>(gpu.driver(), 0));
  model::Artifact made = artifact();
  made.ptx =
      ".version 9.0\n.target sm_89\n.address_size 64\n.visible .entry first(.param .u64 p)\n{\nret;\n}\n"
      ".visible .entry second(.param .u64 p)\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, %envreg2;\nret;\n}\n";
  const auto module = device.load(made).value();
  const auto given = arguments(device);
  ASSERT_TRUE(device.launch(module, plan(), given, {}));
  ASSERT_TRUE(device.synchronize());
  ASSERT_EQ(gpu.launches.size(), 2U);
  EXPECT_FALSE(gpu.launches[0].cooperative);
  EXPECT_TRUE(gpu.launches[1].cooperative);

  model::LaunchPlan large = plan();
  large.grid = {1000, 1, 1};  // of the first kernel, which any grid is good for
  EXPECT_TRUE(device.launch(module, large, given, {}));
  large.then.front().grid = {133, 1, 1};
  const auto refused = device.launch(module, large, given, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, model::Status::launch_error);
  EXPECT_EQ(refused.error().reason, "cooperative_launch_too_large");
}

}  // namespace
}  // namespace evo::test
