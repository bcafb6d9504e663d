// The ratio of two kernels that were timed in turn, and its interval.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "evaluators/gates/paired.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/experiment.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(CompareSeries, LoadsAreTheSamples) {
  const auto comparison = compare_series({{"a", 1, {1, 4, 3, 3, 2, 8}, {1, 1, 1, 1, 1, 1}}}, "incumbent", 0);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->rounds, 6U);
  const measure::RatioInterval loads =
      measure::ratio_interval(std::vector{std::log(2.0), std::log(3.0), std::log(4.0)}, 0.999);
  EXPECT_NEAR(comparison->ratio, loads.ratio, 1e-12);
  EXPECT_NEAR(comparison->interval[0], loads.interval[0], 1e-12);
  EXPECT_NEAR(comparison->interval[1], loads.interval[1], 1e-9 * loads.interval[1]);
}

// An error of 1 in 2000 is for all looks.
TEST(CompareSeries, CopiesAreNotPromotedWhereLoadsDiffer) {
  model::RandomStream draws({.seed = 7, .generation = 0, .slot = 0, .purpose = "copies in turn"});
  constexpr double loads = 0.03, turns = 0.003;  // standard deviations
  int promoted = 0;
  for (int run = 0; run < 2000; ++run) {
    PairedSeries series{"w", 1, {}, {}};
    std::array<double, 2> moved{};
    for (int round = 0; round < screening_rounds + 16; ++round) {
      if (round % paired_rounds_a_load == 0) moved = {loads * draws.normal(), loads * draws.normal()};
      series.candidate_us.push_back(10 * std::exp(moved[0] + turns * draws.normal()));
      series.opponent_us.push_back(10 * std::exp(moved[1] + turns * draws.normal()));
    }
    const auto comparison = compare_series({series}, "incumbent", 0.0005);
    ASSERT_TRUE(comparison.has_value());
    promoted += comparison->interval[1] < 1 - model::GateSettings{}.timing_resolution ? 1 : 0;
  }
  EXPECT_LE(promoted, 2);
}

// Else the rounds that chose a candidate would speak for it: those behind them are on their own.
TEST(CompareSeries, TheScreeningSaysNothingOfWhatIsDecided) {
  const std::vector<double> ones(8, 1);
  const auto decided =
      compare_series({{"a", 1, {0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9}, ones}}, "incumbent", 0.0005);
  ASSERT_TRUE(decided.has_value());
  EXPECT_NEAR(decided->ratio, 0.9, 1e-12);
  EXPECT_EQ(decided->rounds, 8U);
  EXPECT_EQ(decided->error, 0.0005);
  const auto whole =
      compare_series({{"a", 1, {0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9}, ones}}, "incumbent", 0);
  ASSERT_TRUE(whole.has_value());
  EXPECT_LT(whole->ratio, 0.8);
}

// Two loads at an error of 1e-9 reach from nothing to anything: that is an interval too.
TEST(CompareSeries, AnIntervalThatSaysNothingIsStillOne) {
  const auto seen =
      compare_series({{"a", 1, {1, 1, 1, 1, 0.9, 0.9, 0.8, 0.8}, std::vector<double>(8, 1)}}, "x", 1e-9);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->interval[1], widest_ratio);
}

TEST(CompareSeries, WeighsTheWorkloads) {
  const auto comparison =
      compare_series({{"a", 3, {1, 1, 1}, {2, 2, 2}}, {"b", 1, {2, 2, 2}, {1, 1, 1}}}, "incumbent", 0);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_NEAR(comparison->ratio, std::pow(2.0, -0.5), 1e-12);  // 2^(-3/4 + 1/4)
}

TEST(CompareSeries, NothingComesOfRoundsThatDoNotFit) {
  EXPECT_FALSE(compare_series({}, "x", 0).has_value());
  EXPECT_FALSE(compare_series({{"a", 1, {1}, {1}}}, "x", 0).has_value()) << "one load has no spread";
  EXPECT_FALSE(compare_series({{"a", 1, {1, 1}, {1, 1}}}, "x", 0).has_value()) << "two rounds are one load";
  EXPECT_FALSE(compare_series({{"a", 1, {1, 1, 1, 1}, {1, 1, 1}}}, "x", 0).has_value());
  const double none = std::nan("");
  EXPECT_FALSE(compare_series({{"a", 1, {1, 1, none, 1}, {1, 1, 1, 1}}}, "x", 0).has_value());
  // More than the first candidate has would only be left out.
  EXPECT_FALSE(compare_series({{"a", 1, {1, 1, 1, 1}, {1, 1, 1, 1, 1}}}, "x", 0).has_value());
  EXPECT_FALSE(compare_series(
                   {{"a", 1, {1, 1, 1, 1}, {1, 1, 1, 1}}, {"b", 1, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}}, "x", 0)
                   .has_value());
}

}  // namespace
}  // namespace evo::evaluators::gates
