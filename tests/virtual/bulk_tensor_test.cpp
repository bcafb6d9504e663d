// Bulk copies of boxes of tensors, against a naive model of what cuTensorMapEncodeTiled describes: ranks 1 to
// 5, boxes that hang over the edges, swizzles, types.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::DType;
using model::TensorMapPlan;

using Coordinates = std::array<int, 5>;
using Bytes = std::vector<std::uint8_t>;

/// Bytes of a tensor without gaps, and a box of it.
struct Tensor {
  TensorMapPlan plan;

  Tensor(DType dtype, std::vector<std::uint64_t> sizes, std::vector<std::uint32_t> box,
         std::uint32_t swizzle = 0) {
    plan.name = "map";
    plan.dtype = dtype;
    plan.sizes = std::move(sizes);
    plan.box = std::move(box);
    plan.swizzle = swizzle;
    std::uint64_t stride = element();
    for (std::size_t d = 0; d + 1 < plan.sizes.size(); ++d) plan.strides.push_back(stride *= plan.sizes[d]);
  }
  [[nodiscard]] std::size_t element() const { return static_cast<std::size_t>(model::size_of(plan.dtype)); }
  [[nodiscard]] std::size_t bytes() const {
    return std::accumulate(plan.sizes.begin(), plan.sizes.end(), element(), std::multiplies<>());
  }
  [[nodiscard]] std::size_t box_bytes() const {
    return std::accumulate(plan.box.begin(), plan.box.end(), element(), std::multiplies<>());
  }
  [[nodiscard]] Bytes contents() const {
    Bytes all(bytes());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<std::uint8_t>(1 + (i * 7 + i / 251) % 255);
    return all;
  }
  /// Calls visit(byte of the box in shared memory, byte of the tensor or -1), element by element.
  template <class Visit>
  void for_each(const Coordinates& at, Visit visit) const {
    const std::size_t elements = box_bytes() / element();
    for (std::size_t e = 0; e < elements; ++e) {
      std::size_t rest = e;
      std::int64_t offset = 0;
      bool inside = true;
      std::int64_t stride = static_cast<std::int64_t>(element());
      for (std::size_t d = 0; d < plan.sizes.size(); ++d) {
        const std::int64_t c = at[d] + static_cast<std::int64_t>(rest % plan.box[d]);
        rest /= plan.box[d];
        inside = inside && c >= 0 && c < static_cast<std::int64_t>(plan.sizes[d]);
        offset += c * stride;
        stride *= static_cast<std::int64_t>(plan.sizes[d]);
      }
      for (std::size_t b = 0; b < element(); ++b) {
        const std::size_t dense = e * element() + b;
        visit(swizzled(dense), inside ? offset + static_cast<std::int64_t>(b) : -1);
      }
    }
  }
  /// A line of 128 bytes is eight chunks; line by line (two by two, four by four) they change places.
  [[nodiscard]] std::size_t swizzled(std::size_t byte) const {
    const std::size_t line = byte / 128, chunk = byte / 16 % 8, rest = byte % 16;
    const std::size_t turn = plan.swizzle == 128  ? line % 8
                             : plan.swizzle == 64 ? line % 4
                             : plan.swizzle == 32 ? line % 2
                                                  : 0;
    return line * 128 + (chunk ^ turn) * 16 + rest;
  }
};

class BulkTensors : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  static Rig::Arguments with(Rig::Arguments arguments, std::size_t bytes, const Coordinates& at) {
    arguments.push_back(scalar(static_cast<int>(bytes)));
    for (const int c : at) arguments.push_back(scalar(c));
    return arguments;
  }
  evaluators::devices::Outcome<void> launch(Rig& rig, const Tensor& tensor, const Rig::Arguments& arguments) {
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    model::LaunchPlan plan{{1, 1, 1}, {64, 1, 1}, static_cast<std::uint32_t>(tensor.box_bytes() + 1024)};
    plan.tensor_maps.push_back(tensor.plan);
    const auto done = rig.launch(plan, arguments);
    if (!done) return tl::unexpected(done.error());
    return {};
  }
  void loads(const std::string& kernel, const Tensor& tensor, const Coordinates& at) {
    Rig rig("bulk.ptx", kernel);
    const auto out = rig.empty<std::uint8_t>("out", tensor.box_bytes());
    const auto in = rig.buffer("in", tensor.contents());
    const auto done = launch(rig, tensor, with({pointer(in), pointer(out)}, tensor.box_bytes(), at));
    ASSERT_TRUE(done) << kernel << ": " << done.error().evidence.front().message;
    Bytes wanted(tensor.box_bytes());
    const Bytes source = tensor.contents();
    tensor.for_each(at, [&](std::size_t to, std::int64_t from) {
      wanted[to] = from < 0 ? 0 : source[static_cast<std::size_t>(from)];
    });
    EXPECT_EQ(rig.contents<std::uint8_t>(out, wanted.size()), wanted)
        << kernel << " swizzle " << tensor.plan.swizzle;
  }
  void stores(const std::string& kernel, const Tensor& tensor, const Coordinates& at) {
    Rig rig("bulk.ptx", kernel);
    Bytes box(tensor.box_bytes());
    for (std::size_t i = 0; i < box.size(); ++i) box[i] = static_cast<std::uint8_t>(200 - i % 199);
    Bytes wanted = tensor.contents();
    const auto out = rig.buffer("out", wanted);
    const auto done =
        launch(rig, tensor, with({pointer(out), pointer(rig.buffer("in", box))}, box.size(), at));
    ASSERT_TRUE(done) << kernel << ": " << done.error().evidence.front().message;
    tensor.for_each(at, [&](std::size_t from, std::int64_t to) {
      if (to >= 0) wanted[static_cast<std::size_t>(to)] = box[from];
    });
    EXPECT_EQ(rig.contents<std::uint8_t>(out, wanted.size()), wanted)
        << kernel << " swizzle " << tensor.plan.swizzle;
  }
};

TEST_P(BulkTensors, EveryRankLoads) {
  loads("tensor_load_1d", {DType::f32, {100}, {32}}, {16});
  loads("tensor_load_2d", {DType::f16, {40, 12}, {16, 4}}, {8, 5});
  loads("tensor_load_3d", {DType::f32, {12, 5, 4}, {8, 2, 3}}, {4, 1, 1});
  loads("tensor_load_4d", {DType::f64, {6, 4, 3, 3}, {4, 3, 2, 2}}, {1, 1, 1, 1});
  loads("tensor_load_5d", {DType::u8, {32, 3, 3, 2, 4}, {16, 2, 2, 2, 3}}, {5, 1, 1, 0, 1});
}

TEST_P(BulkTensors, WhatLiesOutsideArrivesAsZeros) {
  loads("tensor_load_1d", {DType::f32, {100}, {32}}, {90});
  loads("tensor_load_1d", {DType::f32, {100}, {32}}, {-7});
  loads("tensor_load_1d", {DType::f32, {20}, {32}}, {-4});
  loads("tensor_load_2d", {DType::f16, {40, 12}, {16, 4}}, {-3, 10});
  loads("tensor_load_2d", {DType::f16, {40, 12}, {16, 4}}, {33, -2});
  loads("tensor_load_2d", {DType::f16, {40, 12}, {16, 4}}, {64, 3});
  loads("tensor_load_3d", {DType::f32, {12, 5, 4}, {8, 2, 3}}, {7, 4, 3});
  loads("tensor_load_5d", {DType::u8, {32, 3, 3, 2, 4}, {16, 2, 2, 2, 3}}, {20, 2, -1, 1, 2});
}

TEST_P(BulkTensors, SwizzlesTurnChunksWithinLines) {
  loads("tensor_load_2d", {DType::f16, {128, 40}, {64, 24}, 128}, {32, 4});
  loads("tensor_load_2d", {DType::f16, {128, 40}, {32, 24}, 64}, {32, 4});
  loads("tensor_load_2d", {DType::f16, {128, 40}, {16, 24}, 32}, {32, 4});
  loads("tensor_load_4d", {DType::f32, {64, 3, 5, 2}, {32, 2, 3, 2}, 128}, {40, 2, 1, 0});
}

TEST_P(BulkTensors, StoresWriteWhatIsInside) {
  stores("tensor_store_1d", {DType::f32, {100}, {32}}, {16});
  stores("tensor_store_1d", {DType::f32, {100}, {32}}, {81});
  stores("tensor_store_2d", {DType::f16, {40, 12}, {16, 4}}, {-3, 10});
  stores("tensor_store_2d", {DType::f16, {128, 40}, {64, 24}, 128}, {96, 30});
  stores("tensor_store_2d", {DType::f16, {128, 40}, {32, 24}, 64}, {32, 4});
  stores("tensor_store_5d", {DType::u8, {32, 3, 3, 2, 4}, {16, 2, 2, 2, 3}}, {20, 2, -1, 1, 2});
}

TEST_P(BulkTensors, ReductionsTakeTheTypeOfTheMap) {
  Rig rig("bulk.ptx", "tensor_add_2d");
  const Tensor tensor(DType::u32, {8, 4}, {4, 2});
  std::vector<std::uint32_t> wanted(32), box{1, 2, 3, 4, 5, 6, 7, 0xffffffff};
  std::iota(wanted.begin(), wanted.end(), 100U);
  const auto out = rig.buffer("out", wanted);
  const auto done = launch(rig, tensor, with({pointer(out), pointer(rig.buffer("in", box))}, 32, {6, 3}));
  ASSERT_TRUE(done) << done.error().evidence.front().message;
  wanted[30] += box[0];
  wanted[31] += box[1];
  EXPECT_EQ(rig.contents<std::uint32_t>(out, 32), wanted);
}

INSTANTIATE_TEST_SUITE_P(Schedules, BulkTensors,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::exact),
                                          testing::Values(0, 3)));

class BulkTensorFaults : public testing::TestWithParam<CheckLevel> {
 protected:
  static std::string reason(const std::string& kernel, const TensorMapPlan& plan,
                            std::uint32_t misalignment = 0) {
    Rig rig("bulk.ptx", kernel);
    rig.options.checks = GetParam();
    rig.options.instruction_budget = 2'000'000;
    const auto in = rig.buffer("in", std::vector<float>(64 * 8), misalignment);
    const auto out = rig.empty<float>("out", 64 * 8);
    model::LaunchPlan launch{{1, 1, 1}, {64, 1, 1}, 8192};
    launch.tensor_maps.push_back(plan);
    Rig::Arguments arguments{pointer(in), pointer(out), scalar(512)};
    if (kernel == "tensor_load_3d") {
      for (int c = 0; c < 5; ++c) arguments.push_back(scalar(0));
    }
    const auto done = rig.launch(launch, arguments);
    return done ? "" : done.error().reason;
  }
  static TensorMapPlan plane() { return {"map", 0, DType::f32, {64, 8}, {256}, {16, 8}, 0, true}; }
};

TEST_P(BulkTensorFaults, SharedMemoryBeginsAtAMultipleOf128) {
  EXPECT_EQ(reason("tensor_misaligned", plane()), "misaligned");
}

TEST_P(BulkTensorFaults, OnlyAParameterIsAMap) {
  EXPECT_EQ(reason("tensor_map_copied", plane()), "wrong_tensor_map");
}

TEST_P(BulkTensorFaults, ARankIsTheMaps) {
  EXPECT_EQ(reason("tensor_load_3d", plane()), "wrong_tensor_map");
}

TEST_P(BulkTensorFaults, AnArrayWithoutAMapIsNotCopiedThroughOne) {
  TensorMapPlan none = plane();
  none.encodable = false;
  EXPECT_EQ(reason("tensor_misaligned", none), "wrong_tensor_map");
  EXPECT_EQ(reason("tensor_misaligned", plane(), 4), "wrong_tensor_map");
}

INSTANTIATE_TEST_SUITE_P(Levels, BulkTensorFaults, testing::Values(CheckLevel::none, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
