#include "evaluators/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/random.hpp"

namespace evo::evaluators::measure {
namespace {

using Samples = std::vector<double>;

TEST(Median, MiddleValueOrMeanOfTheTwo) {
  EXPECT_EQ(median(Samples{3}), 3);
  EXPECT_EQ(median(Samples{9, 1, 4}), 4);
  EXPECT_EQ(median(Samples{8, 1, 4, 2}), 3);
  EXPECT_TRUE(std::isnan(median(Samples{})));
}

RC_GTEST_PROP(Median, HalfTheSamplesLieOnEachSide, ()) {
  const auto integers = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-50, 50)));
  const Samples samples(integers.begin(), integers.end());
  const double middle = median(samples);
  const auto below = std::count_if(samples.begin(), samples.end(), [&](double x) { return x < middle; });
  const auto above = std::count_if(samples.begin(), samples.end(), [&](double x) { return x > middle; });
  RC_ASSERT(2 * below <= static_cast<std::ptrdiff_t>(samples.size()));
  RC_ASSERT(2 * above <= static_cast<std::ptrdiff_t>(samples.size()));
  RC_ASSERT(middle == quantile(samples, 0.5));
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const Samples samples{40, 10, 30, 20, 50};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 1), 50);
  EXPECT_EQ(quantile(samples, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.1), 14);
}

TEST(RatioInterval, CoversTheTrueRatioAsOftenAsItSays) {
  model::RandomStream stream({.seed = 9, .generation = 0, .slot = 0, .purpose = "ratio"});
  int covered = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> logs(8);
    for (double& value : logs) value = std::log(0.9) + 0.01 * stream.normal();
    const RatioInterval got = ratio_interval(logs, 0.9);
    EXPECT_LT(got.interval[0], got.ratio);
    if (got.interval[0] <= 0.9 && 0.9 <= got.interval[1]) ++covered;
  }
  // 5 standard errors each way.
  EXPECT_NEAR(covered, 0.9 * trials, 5 * std::sqrt(trials * 0.9 * 0.1));
}

TEST(RatioInterval, OfEqualRoundsIsAPoint) {
  const RatioInterval got = ratio_interval(Samples{std::log(2.0), std::log(2.0), std::log(2.0)}, 0.999);
  EXPECT_DOUBLE_EQ(got.ratio, 2);
  EXPECT_DOUBLE_EQ(got.interval[0], 2);
  EXPECT_DOUBLE_EQ(got.interval[1], 2);
  EXPECT_TRUE(std::isnan(ratio_interval(Samples{0.5}, 0.999).ratio));
}

TEST(MedianInterval, CoversTheTrueMedianAboutAsOftenAsItSays) {
  model::RandomStream stream({.seed = 5, .generation = 0, .slot = 0, .purpose = "coverage"});
  int covered = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    Samples samples(41);
    for (double& value : samples) value = stream.normal();
    const auto [low, high] =
        median_interval(samples, {.resamples = 400, .seed = static_cast<std::uint64_t>(trial)});
    EXPECT_LE(low, median(samples));
    EXPECT_GE(high, median(samples));
    if (low <= 0 && 0 <= high) ++covered;
  }
  // 95 % nominal; the percentile bootstrap of a median is a little conservative. 5 standard errors each way.
  EXPECT_GT(covered, trials * 0.89);
  EXPECT_LT(covered, trials);
}

TEST(MedianInterval, DependsOnTheSeedOnly) {
  Samples samples;
  for (int i = 0; i < 60; ++i) samples.push_back(std::sin(i) + 3);
  EXPECT_EQ(median_interval(samples), median_interval(samples));
  EXPECT_NE(median_interval(samples, {.resamples = 50, .seed = 1}),
            median_interval(samples, {.resamples = 50, .seed = 2}));
  const Samples constant(10, 7.0);
  EXPECT_EQ(median_interval(constant), (std::array<double, 2>{7, 7}));
}

TEST(MedianInterval, WiderConfidenceContainsTheNarrower) {
  Samples samples;
  for (int i = 0; i < 37; ++i) samples.push_back(i * i % 41);
  const auto narrow = median_interval(samples, {.confidence = 0.5});
  const auto wide = median_interval(samples, {.confidence = 0.99});
  EXPECT_LT(wide[0], narrow[0]);
  EXPECT_GT(wide[1], narrow[1]);
}

// Heights and weights with known rank differences: 1 - 6*sum(d^2)/(n(n^2-1)).
TEST(Spearman, MatchesTheTables) {
  EXPECT_DOUBLE_EQ(spearman(Samples{1, 2, 3, 4, 5}, Samples{10, 20, 30, 40, 50}), 1);
  EXPECT_DOUBLE_EQ(spearman(Samples{1, 2, 3, 4, 5}, Samples{9, 7, 5, 3, 1}), -1);
  // The textbook example of IQ and hours of television: rho = -29/165.
  EXPECT_NEAR(spearman(Samples{106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                       Samples{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
              -29.0 / 165.0, 1e-12);
  // With ties, by hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  EXPECT_NEAR(spearman(Samples{1, 5, 5, 9}, Samples{2, 4, 6, 8}), 4.5 / std::sqrt(4.5 * 5.0), 1e-12);
  EXPECT_TRUE(std::isnan(spearman(Samples{1, 2}, Samples{3, 3})));
  EXPECT_TRUE(std::isnan(spearman(Samples{1, 2, 3}, Samples{3, 3})));
}

RC_GTEST_PROP(Spearman, IsUnchangedByAnyGrowingMap, ()) {
  const auto integers =
      *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(-9, 9)),
                         [](const std::vector<int>& v) { return v.size() > 2 && v.front() != v.back(); });
  Samples first(integers.begin(), integers.end());
  Samples second;
  for (std::size_t i = 0; i < first.size(); ++i)
    second.push_back(static_cast<double>((i * 7) % 5) + 0.01 * static_cast<double>(i));
  Samples mapped;
  for (const double value : first) mapped.push_back(std::exp(value / 3) + 2);
  RC_ASSERT(std::abs(spearman(first, second) - spearman(mapped, second)) < 1e-12);
  RC_ASSERT(std::abs(spearman(first, second)) <= 1 + 1e-12);
}

TEST(MannWhitney, MatchesTheTables) {
  // Aesop's tortoises and hares: T H H H H H T T T T T H, finishing first to last. U = 25 for the hares'
  // ranks.
  const Samples tortoises{1, 7, 8, 9, 10, 11};
  const Samples hares{2, 3, 4, 5, 6, 12};
  EXPECT_EQ(mann_whitney(tortoises, hares).u, 25);
  EXPECT_EQ(mann_whitney(hares, tortoises).u, 11);
  // R: wilcox.test(1:5, 6:10, exact = FALSE) gives p = 0.01219.
  EXPECT_NEAR(mann_whitney(Samples{1, 2, 3, 4, 5}, Samples{6, 7, 8, 9, 10}).p, 0.01219, 5e-6);
  EXPECT_EQ(mann_whitney(Samples{2, 2, 2}, Samples{2, 2}).p, 1);
  EXPECT_EQ(mann_whitney(Samples{}, Samples{2, 2}).p, 1);
}

TEST(MannWhitney, SeparatesShiftedSamplesAndNotEqualOnes) {
  model::RandomStream stream({.seed = 11, .generation = 0, .slot = 0, .purpose = "u"});
  int rejected = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    Samples first(30), second(30);
    for (double& value : first) value = stream.normal();
    for (double& value : second) value = stream.normal();
    if (mann_whitney(first, second).p < 0.05) ++rejected;
    for (double& value : second) value += 2;
    EXPECT_LT(mann_whitney(first, second).p, 0.01);
  }
  EXPECT_LT(rejected, trials / 10);
}

}  // namespace
}  // namespace evo::evaluators::measure
