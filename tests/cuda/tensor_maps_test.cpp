// Tensor maps as the kernel's last parameters, on the fake driver.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {
namespace {

using evaluators::cuda::CudaContext;
using evaluators::cuda::CudaDevice;
using evaluators::devices::BufferArgument;
using evaluators::devices::KernelArgument;

using Map = std::array<std::uint64_t, 16>;

class TensorMaps : public testing::Test {
 protected:
  TensorMaps() {
    gpu_.kernels["copy"] = {{8, 8, 128}, {}};
    device_ = std::make_unique<CudaDevice>(std::make_shared<CudaContext>(gpu_.driver(), 0));
    model::Artifact artifact;
    artifact.entry = "copy";
    artifact.arch = "sm_90a";
    artifact.cubin = "ELF";
    module_ = device_->load(artifact).value();
    first_ = device_->allocate({4096, 0, "A"}).value();
  }
  /// Launches with a second buffer `misalignment` bytes off, which the map views.
  auto launch(const model::TensorMapPlan& map, std::uint32_t misalignment = 0) {
    second_ = device_->allocate({4096, misalignment, "B"}).value();
    model::LaunchPlan plan;
    plan.tensor_maps = {map};
    return device_->launch(module_, plan,
                           std::vector<KernelArgument>{BufferArgument{first_}, BufferArgument{second_}}, {});
  }
  static model::TensorMapPlan map() {
    return {"b_map", 1, model::DType::f16, {64, 16}, {128}, {64, 8}, 128, true};
  }

  FakeGpu gpu_;
  std::unique_ptr<CudaDevice> device_;
  evaluators::devices::ModuleId module_ = 0;
  evaluators::devices::BufferId first_ = 0, second_ = 0;
};

TEST_F(TensorMaps, ViewTheBufferOfTheirArgument) {
  ASSERT_TRUE(launch(map()));
  ASSERT_EQ(gpu_.launches.size(), 1U);
  const Map seen = gpu_.launches[0].argument<Map>(2);
  EXPECT_EQ(seen[0], gpu_.launches[0].argument<std::uint64_t>(1));
  EXPECT_EQ(seen[1], 2U);
  EXPECT_EQ(seen[2], 64U);
  EXPECT_EQ(seen[3], 8U);
  EXPECT_EQ(seen[4], static_cast<std::uint64_t>(CU_TENSOR_MAP_SWIZZLE_128B));
}

TEST_F(TensorMaps, AreZerosWhereTheStridesOrTheAddressAllowNone) {
  model::TensorMapPlan unaligned = map();
  unaligned.encodable = false;
  ASSERT_TRUE(launch(unaligned));
  ASSERT_TRUE(launch(map(), 2));
  for (const FakeLaunch& launch : gpu_.launches) EXPECT_EQ(launch.argument<Map>(2), Map{});
}

TEST_F(TensorMaps, ThatTheDriverRefusesAreALaunchError) {
  model::TensorMapPlan wide = map();
  wide.box[0] = 512;
  const auto refused = launch(wide);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, model::Status::launch_error);
  EXPECT_EQ(refused.error().reason, "tensor_map");
  EXPECT_NE(refused.error().evidence.at(0).message.find("b_map"), std::string::npos);
}

TEST_F(TensorMaps, CountAsParameters) {
  const auto second = device_->allocate({4096, 0, "B"}).value();
  const auto refused = device_->launch(
      module_, {}, std::vector<KernelArgument>{BufferArgument{first_}, BufferArgument{second}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "argument_mismatch");
}

}  // namespace
}  // namespace evo::test
