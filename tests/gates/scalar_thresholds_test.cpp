// Beyond which numbers a kernel does something else with a floating-point scalar.
#include "evaluators/gates/scalar_thresholds.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

/// k(y, f32 s, u32 n), whose body begins with %f1 = s, %r1 = n and %f9 = a number of the data.
std::vector<double> found_in(const std::string& body, const ScalarBounds& bounds, double n = 3) {
  const code::PtxModule module(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry other(.param .f32 other_param_1)\n{\n.reg .f32 %f<2>;\n.reg .pred %p<2>;\n"
      "ld.param.f32 %f1, [other_param_1];\nsetp.lt.f32 %p1, %f1, 0f3E800000;\nret;\n}\n"
      ".visible .entry k(.param .u64 k_param_0, .param .f32 k_param_1, .param .u32 k_param_2)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<9>;\n"
      "ld.param.u64 %rd1, [k_param_0];\nld.param.f32 %f1, [k_param_1];\nld.param.u32 %r1, [k_param_2];\n"
      "ld.global.f32 %f9, [%rd1];\n" +
      body + "ret;\n}\n");
  EXPECT_FALSE(module.unreadable());
  return thresholds_of(module, "k", {0, bounds.usual, n}, 1, bounds);
}

ScalarBounds usual(double value) {
  ScalarBounds bounds;
  bounds.usual = value;
  return bounds;
}

ScalarBounds within(double value, double least, double most) {
  return {value, least, most, true};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& numbers) {
  ASSERT_EQ(found.size(), numbers.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], numbers[i], 1e-6 * std::abs(numbers[i])) << i;
}

TEST(ScalarThresholds, WhatItIsComparedWith) {
  expect_near(found_in("setp.lt.f32 %p1, %f1, 0f3F000000;\n", usual(0.75)), {0.5});
  expect_near(found_in("min.f32 %f2, %f1, 0f3F000000;\n", usual(0.25)), {0.5});
  expect_near(found_in("max.ftz.f32 %f2, %f1, 0f3F000000;\n", usual(0.25)), {0.5});
  expect_near(found_in("cvt.f64.f32 %fd1, %f1;\nsetp.gt.f64 %p1, %fd1, 0d3FE0000000000000;\n", usual(0.25)),
              {0.5});
  expect_near(found_in("setp.lt.f32 %p1, %f1, %f9;\n", usual(0.75)), {});
  expect_near(found_in("", usual(0.75)), {});
}

// Each has two ways down to the one before.
TEST(ScalarThresholds, SquaresOfSquaresAreLookedAtOnce) {
  std::string body = ".reg .f32 %g<50>;\nmul.f32 %g1, %f1, %f1;\n";
  for (int i = 1; i < 40; ++i)
    body += "mul.f32 %g" + std::to_string(i + 1) + ", %g" + std::to_string(i) + ", %g" + std::to_string(i) +
            ";\n";
  expect_near(found_in(body + "setp.gt.f32 %p1, %g40, 0f3F800000;\n", usual(0.75)), {1});
}

// A guard against 0 changes between 0 and the least number that is asked for.
TEST(ScalarThresholds, NothingIsShownBetweenZeroAndNextToIt) {
  const ScalarBounds bounds = within(0.5, 0, 1);
  const auto found = found_in("setp.gt.f32 %p1, %f1, 0f00000000;\n", bounds);
  for (const double value : beside_thresholds(found, bounds)) EXPECT_GT(value, 1e-9);
}

TEST(ScalarThresholds, OfWhatIsMadeOfIt) {
  const char* half_way =
      "add.f32 %f2, %f1, 0fBF800000;\nabs.f32 %f3, %f2;\nsetp.lt.f32 %p1, %f3, 0f3C800000;\n";
  expect_near(found_in(half_way, usual(0.75)), {0.984375, 1.015625});
  expect_near(found_in("mul.f32 %f2, %f1, %f1;\nsqrt.rn.f32 %f3, %f2;\nsetp.lt.f32 %p1, %f3, 0f3F000000;\n",
                       usual(0.75)),
              {0.5});
  expect_near(
      found_in("cvt.rn.f32.u32 %f2, %r1;\nmul.f32 %f3, %f1, %f2;\nsetp.lt.f32 %p1, %f3, 0f3F000000;\n",
               usual(0.75), 4),
      {0.125});
  expect_near(found_in("mul.f32 %f2, %f1, %f9;\nsetp.lt.f32 %p1, %f2, 0f3F000000;\n", usual(0.75)), {});
  expect_near(found_in("mov.f32 %f2, 0f00000000;\nmov.f32 %f2, %f1;\nsetp.lt.f32 %p1, %f2, 0f3F000000;\n",
                       usual(0.75)),
              {});
  // Written twice, it is not the parameter everywhere.
  expect_near(found_in("mov.f32 %f2, %f1;\nmov.f32 %f2, 0f00000000;\nsetp.lt.f32 %p1, %f2, 0f3F000000;\n",
                       usual(0.75)),
              {});
}

TEST(ScalarThresholds, WithinWhatItMayBe) {
  const char* tiny = "setp.lt.f32 %p1, %f1, 0f38D1B717;\n";  // 0.0001
  expect_near(found_in(tiny, usual(0.25)), {});
  expect_near(found_in(tiny, within(0.25, 0, 0.95)), {0.0001});
  const char* negative = "setp.lt.f32 %p1, %f1, 0fBF000000;\n";
  expect_near(found_in(negative, usual(0.25)), {});
  expect_near(found_in(negative, within(0.25, -1, 1)), {-0.5});
}

TEST(ScalarThresholds, BothEndsOfTheStretchesBesideThem) {
  const auto below = beside_thresholds({0.01}, within(0.25, 0, 0.95));
  ASSERT_EQ(below.size(), 2U);
  EXPECT_LT(below[0], 0.01);
  EXPECT_GT(below[0], 0.009);
  EXPECT_NEAR(below[1], 0.005, 1e-9) << "further on";
  const auto narrow = beside_thresholds({0.9921875, 1.0078125}, usual(0.75));
  ASSERT_EQ(narrow.size(), 4U);
  EXPECT_TRUE(narrow[0] > 0.9921875 && narrow[0] < 1.0078125) << "however narrow";
  EXPECT_TRUE(narrow[1] > 0.9921875 && narrow[1] < 1.0078125);
  EXPECT_GT(narrow[2], 1.0078125);
  EXPECT_TRUE(beside_thresholds({}, usual(0.75)).empty());
  for (const double value : beside_thresholds({0.1, 0.2, 0.3, 0.4, 0.5}, within(0.25, 0, 0.95)))
    EXPECT_TRUE(value >= 0 && value <= 0.95);
  EXPECT_LE(beside_thresholds({0.1, 0.2, 0.3, 0.4, 0.5}, within(0.25, 0, 0.95)).size(), 8U);
}

}  // namespace
}  // namespace evo::evaluators::gates
