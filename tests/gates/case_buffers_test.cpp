// Buffers of a case: how they are allocated, poisoned and aligned.
#include "evaluators/gates/case_buffers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(CaseBuffers, AFarViewIsAllocatedInItsParts) {
  tests::FakeDeviceSettings settings;
  tests::FakeDevice device(settings);
  model::Case bound = tests::vector_add_case(3);
  bound.arguments[2].strides = {std::int64_t{1} << 35};
  const devices::BufferSpec spec = buffer_spec(bound.arguments[2], 16);
  EXPECT_EQ(spec.bytes, (std::uint64_t{2} << 37) + 4);
  ASSERT_EQ(spec.parts.size(), 3U);
  EXPECT_EQ(spec.parts[2].offset, std::uint64_t{2} << 37);
  EXPECT_TRUE(buffer_spec(bound.arguments[0], 16).parts.empty());
  auto buffers = CaseBuffers::create(device, bound, in_turn(bound, 0));
  ASSERT_TRUE(buffers.has_value());
  ASSERT_TRUE(buffers->poison(5, false).has_value());
  const auto bytes = buffers->read(2);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_LT(bytes->span().size(), 4096U) << "the host holds what the elements need";
}

TEST(CaseBuffers, NoByteOfTheInvertedPoisonIsThatOfThePoison) {
  tests::FakeDevice device(tests::FakeDeviceSettings{});
  const model::Case bound = tests::vector_add_case(64);
  auto buffers = CaseBuffers::create(device, bound, in_turn(bound, 0));
  ASSERT_TRUE(buffers.has_value());
  for (const bool finite : {false, true}) {
    ASSERT_TRUE(buffers->poison(5, finite).has_value());
    const auto before = buffers->read(2);
    ASSERT_TRUE(buffers->poison_inverted().has_value());
    const auto after = buffers->read(2);
    ASSERT_TRUE(before.has_value() && after.has_value());
    ASSERT_EQ(before->span().size(), 256U);
    for (std::size_t i = 0; i < 256; ++i) EXPECT_NE(before->span()[i], after->span()[i]) << i;
  }
}

TEST(CaseBuffers, ScalarsAreTheirTypesBytes) {
  using model::DType;
  const auto bytes = [](DType dtype, double value) {
    return scalar_bytes(tests::scalar_argument("s", dtype, value));
  };
  EXPECT_EQ(bytes(DType::i32, -2),
            (std::vector<std::byte>{std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}}));
  EXPECT_EQ(bytes(DType::f16, 1).size(), 2U);
  EXPECT_EQ(bytes(DType::f32, 0.125),
            (std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x3e}}));
  EXPECT_EQ(bytes(DType::f64, 0.125).size(), 8U);
  model::BoundArgument stride = tests::scalar_argument("s", DType::i64, 0);
  stride.scalar_integer = (std::int64_t{1} << 62) + 1;  // more than a double holds
  EXPECT_EQ(scalar_bytes(stride).at(0), std::byte{1});
}

TEST(CaseBuffers, NeighboursHaveDifferentAlignments) {
  tests::FakeDeviceSettings settings;
  tests::FakeDevice device(settings);
  const model::Case bound = tests::vector_add_case(4);
  for (unsigned shift = 0; shift < alignment_count; ++shift) {
    const auto buffers = CaseBuffers::create(device, bound, in_turn(bound, shift));
    ASSERT_TRUE(buffers.has_value());
    std::set<std::uint32_t> distances;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto id = std::get<devices::BufferArgument>(buffers->arguments()[i]).buffer;
      distances.insert(device.spec(id).misalignment);
      EXPECT_EQ(device.spec(id).misalignment % 16, 0U);
      EXPECT_EQ(device.spec(id).name, bound.arguments[i].name);
    }
    EXPECT_EQ(distances.size(), 3U);
  }
  EXPECT_EQ(settings.log->live_buffers, 0);
}

}  // namespace
}  // namespace evo::evaluators::gates
