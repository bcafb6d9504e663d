#include "model/metric.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evo::model {
namespace {

const MetricValues values{{"m", 100}, {"n", 10}, {"time", 4}};

double metric(std::string_view text) {
  const auto value = evaluate_metric(text, values);
  return value ? *value : -999;
}

std::string metric_error(std::string_view text) {
  const auto value = evaluate_metric(text, values);
  return value ? "no error" : value.error();
}

TEST(Metric, IsFloatingPoint) {
  EXPECT_EQ(metric("2 * m * n / time"), 500);
  EXPECT_EQ(metric("m / time / 8"), 3.125);
  EXPECT_EQ(metric("1e3 * 0.5 - -m"), 600);
  EXPECT_EQ(metric("2 ** 3 ** 2"), 512);
  EXPECT_EQ(metric("-2 ** 2"), -4);
  EXPECT_EQ(metric("7 // 2 + 7 % 4"), 6);
  EXPECT_EQ(metric("min(m, n) + max(1, 2) + sqrt(16) + log2(8)"), 19);
  EXPECT_TRUE(std::isinf(metric("1 / (m - 100)")));
}

TEST(Metric, ErrorsSayWhere) {
  EXPECT_NE(metric_error("m * k").find("unknown name 'k' (character 6)"), std::string::npos);
  EXPECT_NE(metric_error("m *").find("ends where a value"), std::string::npos);
  EXPECT_NE(metric_error("(m").find("expected ')'"), std::string::npos);
  EXPECT_NE(metric_error("m m").find("unexpected 'm'"), std::string::npos);
  EXPECT_NE(metric_error("sin(m)").find("known: min, max, sqrt, log2"), std::string::npos);
  EXPECT_NE(metric_error(std::string(500, '(')).find("too deeply"), std::string::npos);
  EXPECT_EQ(metric_names("flops / time").value(), (std::set<std::string>{"flops", "time"}));
}

}  // namespace
}  // namespace evo::model
