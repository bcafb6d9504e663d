// Arrays of structs: what a member holds of what a kernel sees.
#include <gtest/gtest.h>

#include <array>

#include "evaluators/gates/crossed_changes.hpp"
#include "evaluators/gates/record_buffers.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(RecordBuffers, AMemberIsReadWhereItLiesInItsStruct) {
  model::RecordLayout record;
  record.offsets = {0, 2};
  record.lengths = {2, 1};
  record.bytes = 4;
  record.count = 2;
  const std::array<std::byte, 8> structs{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                         std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
  std::array<std::byte, 2> second{};
  gather(record, 1, structs.data(), second.data());
  EXPECT_EQ(second, (std::array<std::byte, 2>{std::byte{3}, std::byte{7}}));
  std::array<std::byte, 4> first{};
  gather(record, 0, structs.data(), first.data());
  EXPECT_EQ(first, (std::array<std::byte, 4>{std::byte{1}, std::byte{2}, std::byte{5}, std::byte{6}}));
}

TEST(CrossedChanges, AFixedOrNeutralNumberHasNoOtherValue) {
  model::Problem problem;
  model::Argument scalar;
  scalar.name = "alpha";
  scalar.role = model::ArgumentRole::scalar;
  scalar.dtype = model::DType::f32;
  problem.arguments = {scalar};
  EXPECT_EQ(CrossedChanges(problem).scalar_levels(), 3U);
  problem.arguments[0].fixed = true;
  EXPECT_EQ(CrossedChanges(problem).scalar_levels(), 1U);
  problem.arguments[0].fixed = false;
  problem.arguments[0].neutral = true;
  EXPECT_EQ(CrossedChanges(problem).scalar_levels(), 1U);
}

}  // namespace
}  // namespace evo::evaluators::gates
