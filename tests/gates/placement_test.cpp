// Where arrays stand: at every multiple of an element, or of what the problem says they are aligned to.
#include "evaluators/gates/placement.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

model::Case two_arrays(std::int64_t alignment) {
  model::Case bound;
  bound.arguments.push_back({"x", model::ArgumentRole::input, model::DType::f32, {8}, {1}});
  bound.arguments.push_back({"y", model::ArgumentRole::output, model::DType::f32, {8}, {1}});
  bound.arguments[0].alignment = alignment;
  return bound;
}

TEST(PlacementOfVectors, StaysAtTheirMultiples) {
  const model::Case bound = two_arrays(16);
  model::RandomStream stream({.seed = 1, .generation = 0, .slot = 0, .purpose = "test"});
  std::vector<Placement> all = each_apart(bound);
  for (const Placement& each : alike(bound, stream)) all.push_back(each);
  all.push_back(none_aligned(bound));
  for (int i = 0; i < 50; ++i) all.push_back(anywhere(bound, stream));
  bool moved = false;
  for (const Placement& each : all) {
    EXPECT_EQ(each[0] % 16, 0U);
    moved = moved || each[1] % 16 != 0;
  }
  EXPECT_TRUE(moved) << "the other array is not held";
}

/// wmma::load_matrix_sync asks for 32 bytes, bulk copies for 128.
TEST(PlacementOfVectors, BeyondSixteenBytesEveryPlacementKeepsThem) {
  for (const std::uint32_t bytes : {32U, 64U, 128U}) {
    const model::Case bound = two_arrays(bytes);
    model::RandomStream stream({.seed = 1, .generation = 0, .slot = 0, .purpose = "test"});
    std::vector<Placement> all = each_apart(bound);
    for (const Placement& each : alike(bound, stream)) all.push_back(each);
    all.push_back(none_aligned(bound));
    for (std::size_t i = 0; i < 10; ++i) {
      all.push_back(in_turn(bound, static_cast<unsigned>(i)));
      all.push_back(in_turn_or_aligned(bound, i));
      all.push_back(one_apart(bound, i, stream));
      all.push_back(anywhere(bound, stream));
    }
    bool moved = false;
    for (const Placement& each : all) {
      EXPECT_EQ(each[0] % bytes, 0U) << bytes;
      moved = moved || each[0] % 256 != 0;
    }
    EXPECT_TRUE(moved) << "not always where cudaMalloc() would put it";
  }
}

TEST(PlacementOfVectors, WithoutAnAlignmentEveryMultipleOfAnElementOccurs) {
  std::set<std::uint32_t> seen;
  for (const Placement& each : each_apart(two_arrays(0))) seen.insert(each[0] % 16);
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 4, 8, 12}));
}

}  // namespace
}  // namespace evo::evaluators::gates
