#include "diagnose/stage_check.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace evo::diagnose {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const model::Tolerance tolerance{"t", 1e-3, 1e-2, {}};

evaluators::oracle::StageReference reference(std::vector<double> values, std::int64_t columns) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {size / columns, columns, std::move(values), 2,
          std::vector<bool>(static_cast<std::size_t>(size), false)};
}

TEST(StageCheck, RightWithinTheBounds) {
  const std::vector<double> close{1.0001, 2, 3, 4};
  EXPECT_TRUE(check_stage(reference({1, 2, 3, 4}, 2), close, {}, tolerance).correct);
}

TEST(StageCheck, NamesTheWorstAndTheFirst) {
  const std::vector<double> actual{1, 2.5, 3, 9, 5, 6, 7, 8};
  const StageCheck check = check_stage(reference({1, 2, 3, 4, 5, 6, 7, 8}, 4), actual, {}, tolerance);
  EXPECT_FALSE(check.correct);
  ASSERT_EQ(check.worst.size(), 2U);
  EXPECT_EQ(check.worst[0].column, 3);
  EXPECT_EQ(check.first_wrong, (std::array<std::int64_t, 2>{0, 1}));
  EXPECT_EQ(check.first_wrong_tile, 0);  // columns 0 and 1 are tile 0
}

TEST(StageCheck, NoMoreThanFiveWorst) {
  const std::vector<double> zeros(12, 0.0);
  EXPECT_EQ(check_stage(reference(std::vector<double>(12, 1.0), 4), zeros, {}, tolerance).worst.size(), 5U);
}

TEST(StageCheck, ANanIsNeverRight) {
  const std::vector<double> actual{1, std::numeric_limits<double>::quiet_NaN()};
  const StageCheck check = check_stage(reference({1, 2}, 2), actual, {}, tolerance);
  EXPECT_FALSE(check.correct);
  EXPECT_EQ(check.non_finite, 1);
  EXPECT_EQ(check.first_non_finite, (std::array<std::int64_t, 2>{0, 1}));
}

TEST(StageCheck, MasksMustAgree) {
  const std::vector<double> shows{1, 0.5}, hides{-infinity, -infinity};
  EXPECT_EQ(check_stage(reference({1, -infinity}, 2), shows, {}, tolerance).unmasked, 1);
  EXPECT_EQ(check_stage(reference({1, -infinity}, 2), hides, {}, tolerance).overmasked, 1);
  const std::vector<double> same{1, -infinity};
  EXPECT_TRUE(check_stage(reference({1, -infinity}, 2), same, {}, tolerance).correct);
}

TEST(StageCheck, WhatAMaskHidesNeedNotBeComputed) {
  auto wanted = reference({1, -infinity}, 2);
  const std::vector<double> actual{1, 0};
  EXPECT_EQ(check_stage(wanted, actual, {true, false}, tolerance).not_computed, 1);
  wanted.skippable[1] = true;
  EXPECT_TRUE(check_stage(wanted, actual, {true, false}, tolerance).correct);
}

TEST(StageCheck, OneFactorIsSeen) {
  const std::vector<double> doubled{2, 4, 6, 8};
  const StageCheck check = check_stage(reference({1, 2, 3, 4}, 2), doubled, {}, tolerance);
  ASSERT_TRUE(check.constant_ratio.has_value());
  EXPECT_NEAR(*check.constant_ratio, 2, 1e-12);
  const std::vector<double> other{2, 5, 6, 8};
  EXPECT_FALSE(check_stage(reference({1, 2, 3, 4}, 2), other, {}, tolerance).constant_ratio.has_value());
}

TEST(StageCheck, Fp16ValuesAreRecognised) {
  std::vector<double> halves(16, 1.0009765625), floats(16, 1.0009765625);
  floats[7] = 1.0001;
  EXPECT_TRUE(check_stage(reference(std::vector<double>(16, 1.0), 4), halves, {}, tolerance).half_values);
  EXPECT_FALSE(check_stage(reference(std::vector<double>(16, 1.0), 4), floats, {}, tolerance).half_values);
  halves.resize(8);
  EXPECT_FALSE(check_stage(reference(std::vector<double>(8, 1.0), 4), halves, {}, tolerance).half_values);
}

TEST(StageCheck, SeesAFactorOfEachRow) {
  const std::vector<double> wanted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::vector<double> actual = wanted;
  for (std::size_t i = 0; i < actual.size(); ++i) actual[i] *= 2.0 + static_cast<double>(i / 4);
  const StageCheck by_row = check_stage(reference(wanted, 4), actual, {}, tolerance);
  EXPECT_TRUE(by_row.ratio_by_row);
  EXPECT_FALSE(by_row.constant_ratio);
  for (std::size_t i = 0; i < actual.size(); ++i) actual[i] = 3 * wanted[i];
  EXPECT_FALSE(check_stage(reference(wanted, 4), actual, {}, tolerance).ratio_by_row)
      << "one factor for all is no factor of each row";
  actual[5] = 1;
  EXPECT_FALSE(check_stage(reference(wanted, 4), actual, {}, tolerance).ratio_by_row);
}

TEST(StageCheck, SeesOneValueWhereverItIsWrong) {
  const std::vector<double> wanted{-9, -8, -7, -6, 5, 6};
  const std::vector<double> held{-3, -3, -3, -3, 5, 6}, zero{0, 0, 0, 0, 5, 6}, other{-3, -3, -3, -2, 5, 6};
  EXPECT_EQ(check_stage(reference(wanted, 2), held, {}, tolerance).constant_value, -3);
  EXPECT_EQ(check_stage(reference(wanted, 2), zero, {}, tolerance).constant_value, std::nullopt);
  EXPECT_EQ(check_stage(reference(wanted, 2), other, {}, tolerance).constant_value, std::nullopt);
}

}  // namespace
}  // namespace evo::diagnose
