#include "evaluators/oracle/layout.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;
using tests::array_argument;

TEST(Layout, TransposedViewAddressesTheSameElementsInAnotherOrder) {
  const auto view = array_argument("x", ArgumentRole::input, DType::f16, {2, 3}, {1, 2});
  EXPECT_EQ(element_offsets(view), (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(coordinates_of(view, 4), (std::vector<std::int64_t>{1, 1}));
  EXPECT_FALSE(overlaps_itself(view));
}

TEST(Layout, GapsAndOverlapsAreSeen) {
  const auto gaps = array_argument("x", ArgumentRole::output, DType::f32, {2, 2}, {4, 1});
  EXPECT_EQ(buffer_bytes(gaps), 24);
  EXPECT_EQ(addressed_elements(gaps), (std::vector<bool>{true, true, false, false, true, true}));
  EXPECT_TRUE(overlaps_itself(array_argument("x", ArgumentRole::output, DType::f32, {2, 2}, {0, 1})));
}

TEST(Layout, EmptyAndScalar) {
  EXPECT_EQ(element_count(array_argument("x", ArgumentRole::input, DType::f32, {3, 0})), 0);
  EXPECT_TRUE(element_offsets(array_argument("x", ArgumentRole::input, DType::f32, {3, 0})).empty());
  EXPECT_EQ(element_count(tests::scalar_argument("n", DType::i32, 3)), 0);
}

RC_GTEST_PROP(Layout, OffsetsAreCoordinatesTimesStrides, ()) {
  const auto shape = *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(1, 5));
  const auto strides =
      *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(0, 40));
  const auto argument = array_argument("x", ArgumentRole::input, DType::f16, shape, strides);
  const auto offsets = element_offsets(argument);
  RC_ASSERT(static_cast<std::int64_t>(offsets.size()) == element_count(argument));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto at = coordinates_of(argument, static_cast<std::int64_t>(i));
    RC_ASSERT(offsets[i] == at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]);
  }
  RC_ASSERT(*std::max_element(offsets.begin(), offsets.end()) + 1 == argument.extent());
  const std::set<std::int64_t> distinct(offsets.begin(), offsets.end());
  RC_ASSERT(overlaps_itself(argument) == (distinct.size() < offsets.size()));
}

}  // namespace
}  // namespace evo::evaluators::oracle
