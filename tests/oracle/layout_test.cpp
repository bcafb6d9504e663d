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

constexpr std::int64_t far = (std::int64_t{1} << 35) + 8;  // elements of two bytes

TEST(FarView, TheImageHoldsItsElementsAndShortGaps) {
  const auto view = array_argument("x", ArgumentRole::output, DType::f16, {3, 2, 5}, {far, 5, 1});
  const auto parts = parts_of(view);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(device_bytes(view), 2 * (2 * far + 10));
  EXPECT_LT(buffer_bytes(view), 3 * (20 + 2 * gap_kept_bytes));
  EXPECT_FALSE(overlaps_itself(view));
  std::int64_t at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].host_offset, at) << "parts follow each other";
    EXPECT_EQ(parts[i].device_offset, 2 * static_cast<std::int64_t>(i) * far);
    EXPECT_EQ((parts[i].device_offset - parts[i].host_offset) % 256, 0) << "alignment is kept";
    EXPECT_GE(parts[i].bytes, i + 1 < parts.size() ? 20 + gap_kept_bytes : 20);
    at += parts[i].bytes;
  }
  EXPECT_EQ(at, buffer_bytes(view));
  // Element (b, h, d) lies in part b as in the device's buffer.
  const auto offsets = element_offsets(view);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto part = static_cast<std::size_t>(coordinates_of(view, static_cast<std::int64_t>(i))[0]);
    EXPECT_EQ(2 * offsets[i] - parts[part].host_offset, static_cast<std::int64_t>(2 * (i % 10)));
  }
}

TEST(FarView, TwoFarDimensionsMakeAPartForEachPair) {
  const auto view = array_argument("x", ArgumentRole::input, DType::f32, {2, 3, 4}, {3 * far, far, 1});
  const auto parts = parts_of(view);
  ASSERT_EQ(parts.size(), 6U);
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_EQ(parts[i].device_offset, 4 * static_cast<std::int64_t>(i) * far);
}

TEST(FarView, RowsThatLieFarApart) {
  const auto view =
      array_argument("x", ArgumentRole::input, DType::f16, {1, 1, 7, 4}, {7 * far, 7 * far, far, 1});
  EXPECT_EQ(parts_of(view).size(), 7U);
  EXPECT_EQ(rows_of(view).size(), 7U);
}

TEST(FarView, OtherViewsAreTheirOwnImage) {
  const auto argument = array_argument("x", ArgumentRole::input, DType::f16, {3, 4}, {1 << 20, 1});
  EXPECT_EQ(host_layout(argument).strides, argument.strides);
  EXPECT_EQ(parts_of(argument).size(), 1U);
  EXPECT_EQ(buffer_bytes(argument), device_bytes(argument));
  model::Case bound = tests::attention_case(2, 1, 4, 8, false);
  EXPECT_FALSE(has_64bit_strides(bound));
  bound.arguments[1].strides[0] = far;
  EXPECT_TRUE(has_64bit_strides(bound));
}

}  // namespace
}  // namespace evo::evaluators::oracle
