// Textures and surfaces on the fake driver: what the driver is asked for, and that a buffer and its array
// hold the same whenever somebody looks.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {
namespace {

using evaluators::cuda::CudaContext;
using evaluators::cuda::CudaDevice;
using evaluators::devices::BufferArgument;
using evaluators::devices::BufferId;
using evaluators::devices::BufferSpec;
using evaluators::devices::KernelArgument;
using evaluators::devices::TextureBinding;

class TextureObjects : public testing::Test {
 protected:
  TextureObjects() {
    gpu_.kernels["k"] = {{8}, [this](const FakeLaunch& launch) {
                           texels_ = reinterpret_cast<float*>(launch.argument<std::uint64_t>(0));
                           seen_.assign(texels_, texels_ + count);
                           if (writes_) texels_[3] += 1;
                         }};
    device_ = std::make_unique<CudaDevice>(std::make_shared<CudaContext>(gpu_.driver(), 0));
    model::Artifact artifact;
    artifact.entry = "k";
    artifact.arch = "sm_90a";
    artifact.cubin = "ELF";
    module_ = device_->load(artifact).value();
  }
  BufferId buffer(bool restored = false) {
    BufferSpec spec{count * 4, 4, "A"};
    spec.restored = restored;
    return device_->allocate(spec).value();
  }
  static KernelArgument view(BufferId id, const model::TextureModel& model,
                             std::vector<std::int64_t> shape = {3, 4}) {
    return BufferArgument{id, std::make_shared<const TextureBinding>(TextureBinding{
                                  model, model::DType::f32, model::texture_extent(model, shape), "A"})};
  }
  static model::TextureModel surface() {
    model::TextureModel model;
    model.surface = true;
    return model;
  }
  void launch(const KernelArgument& argument) {
    ASSERT_TRUE(device_->launch(module_, {}, std::vector<KernelArgument>{argument}, {}));
    ASSERT_TRUE(device_->synchronize());
  }
  void write(BufferId id, const std::vector<float>& values) {
    ASSERT_TRUE(device_->write(id, std::as_bytes(std::span(values))));
  }
  std::vector<float> read(BufferId id) {
    std::vector<float> values(count);
    EXPECT_TRUE(device_->read(id, std::as_writable_bytes(std::span(values))));
    return values;
  }
  static std::vector<float> numbers(float first) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  static constexpr std::size_t count = 12;
  FakeGpu gpu_;
  std::unique_ptr<CudaDevice> device_;
  evaluators::devices::ModuleId module_ = 0;
  float* texels_ = nullptr;
  std::vector<float> seen_;
  bool writes_ = false;
};

TEST_F(TextureObjects, AskTheDriverForWhatTheProblemSays) {
  const BufferId id = buffer();
  write(id, numbers(1));
  model::TextureModel model;
  model.filter = model::TextureFilter::linear;
  model.address = model::TextureAddress::mirror;
  model.normalized = true;
  launch(view(id, model));
  ASSERT_EQ(gpu_.arrays.size(), 1U);
  EXPECT_EQ(gpu_.arrays[0].Width, 4U);
  EXPECT_EQ(gpu_.arrays[0].Height, 3U);
  EXPECT_EQ(gpu_.arrays[0].Depth, 0U);
  EXPECT_EQ(gpu_.arrays[0].Flags, 0U);
  ASSERT_EQ(gpu_.textures.size(), 1U);
  EXPECT_EQ(gpu_.textures[0].filterMode, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(gpu_.textures[0].addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
  EXPECT_EQ(gpu_.textures[0].flags, static_cast<unsigned>(CU_TRSF_NORMALIZED_COORDINATES));
  EXPECT_EQ(seen_, numbers(1));
  model::TextureModel layers = surface();
  layers.layered = true;
  launch(view(buffer(), layers, {2, 3, 2}));
  EXPECT_EQ(gpu_.arrays.at(1).Depth, 2U);
  EXPECT_EQ(gpu_.arrays.at(1).Flags, static_cast<unsigned>(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST));
  model::TextureModel linear;
  linear.memory = model::TextureMemory::linear;
  launch(view(id, linear, {12}));
  EXPECT_EQ(gpu_.arrays.size(), 2U);
  EXPECT_EQ(seen_, numbers(1));
}

TEST_F(TextureObjects, SeeWhatIsWrittenLater) {
  const BufferId id = buffer();
  write(id, numbers(1));
  launch(view(id, {}));
  write(id, numbers(100));
  launch(view(id, {}));
  EXPECT_EQ(seen_, numbers(100));
  EXPECT_EQ(gpu_.textures.size(), 1U) << "one object a buffer";
}

TEST_F(TextureObjects, WhatKernelsWriteToASurfaceComesBack) {
  const BufferId id = buffer();
  ASSERT_TRUE(device_->poison(id, 0x41414141));
  writes_ = true;
  launch(view(id, surface()));
  std::vector<float> expected = seen_;
  expected[3] += 1;
  EXPECT_EQ(read(id), expected);
  launch(view(id, surface()));
  const evaluators::devices::BufferPiece piece{id, count * 4};
  const auto contents = device_->read_with_guards(std::span(&piece, 1));
  ASSERT_TRUE(contents);
  expected[3] += 1;
  EXPECT_EQ(std::memcmp(contents->bytes[0].span().data(), expected.data(), count * 4), 0);
  ASSERT_TRUE(device_->poison(id, 0));
  launch(view(id, surface()));
  EXPECT_EQ(seen_, std::vector<float>(count));
}

TEST_F(TextureObjects, SurfacesThatArePutBackAreSoInTimedLaunchesToo) {
  const BufferId id = buffer(true);
  write(id, numbers(5));
  writes_ = true;
  launch(view(id, surface()));
  EXPECT_EQ(read(id)[3], 9);
  const std::vector<std::vector<KernelArgument>> sets{{view(id, surface())}};
  evaluators::devices::TimingProtocol protocol;
  protocol.samples = 3;
  ASSERT_TRUE(device_->time(module_, {}, sets, protocol));
  EXPECT_EQ(seen_, numbers(5));
}

TEST_F(TextureObjects, EndWithTheirBuffer) {
  const BufferId id = buffer();
  write(id, numbers(1));
  launch(view(id, {}));
  launch(view(id, surface()));
  EXPECT_EQ(gpu_.live.arrays, 2);
  EXPECT_EQ(gpu_.live.objects, 2);
  device_->release(id);
  EXPECT_EQ(gpu_.live.arrays, 0);
  EXPECT_EQ(gpu_.live.objects, 0);
}

}  // namespace
}  // namespace evo::test
