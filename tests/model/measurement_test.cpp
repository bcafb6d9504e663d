#include "model/measurement.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace evo::model {
namespace {

WorkloadLatency entry(double us, double weight, double half_log) {
  WorkloadLatency w{"w", weight, {}};
  w.latency.kind = LatencyKind::measured;
  w.latency.microseconds = us;
  w.latency.samples = 10;
  if (half_log > 0) w.latency.ci95 = {us * std::exp(-half_log), us * std::exp(half_log)};
  return w;
}

TEST(Combine, IsTheWeightedGeometricMean) {
  const Latency total = combine({entry(4, 1, 0.1), entry(16, 1, 0.1)});
  EXPECT_NEAR(total.microseconds, 8.0, 1e-12);
  EXPECT_NEAR(combine({entry(4, 3, 0.1), entry(64, 1, 0.1)}).microseconds, 8.0, 1e-12);
}

TEST(Combine, IntervalsShrinkWithIndependentWorkloads) {
  const Latency total = combine({entry(4, 1, 0.1), entry(16, 1, 0.1)});
  ASSERT_TRUE(total.ci95);
  EXPECT_NEAR(std::log((*total.ci95)[1] / total.microseconds), 0.1 / std::sqrt(2.0), 1e-12);
}

TEST(Combine, NoIntervalWhereOneIsMissing) {
  EXPECT_FALSE(combine({entry(4, 1, 0.1), entry(16, 1, 0)}).ci95);
  EXPECT_EQ(combine({}).microseconds, 0);
  EXPECT_EQ(combine({entry(5, 2, 0.1)}).microseconds, 5);
}

}  // namespace
}  // namespace evo::model
