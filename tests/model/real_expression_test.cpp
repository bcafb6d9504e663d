// Expressions in floating point, and what they are in C++.
#include "model/real_expression.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace evo::model {
namespace {

double real(std::string_view text) {
  return evaluate_real(text, {{"n", 16}, {"m", 3}}).value_or(-999);
}

TEST(RealExpression, IsComputedInDouble) {
  EXPECT_EQ(real("m / 2"), 1.5);
  EXPECT_EQ(real("1 / sqrt(n) + inverse_sqrt(n)"), 0.5);
  EXPECT_EQ(real("-2 ** 2 + 7 // 2 + 7 % 4"), 2);
  EXPECT_EQ(real("floor(-0.5) + ceil(0.5) + abs(-3) + ceil_div(n, m)"), 9);
  EXPECT_EQ(real("exp(0) + log(1) + log2(n) + min(n, m) + max(n, m)"), 24);
  EXPECT_EQ(real("q"), -999);
}

TEST(RealExpression, TellsIntegersFromRealNumbers) {
  for (const char* text : {"n", "n / 2", "ceil_div(n, m) * 4", "min(n, m) - 1"})
    EXPECT_FALSE(use_of_real(text).value().real) << text;
  for (const char* text : {"0.5 * n", "1e3", "sqrt(n)", "n * exp(m)"})
    EXPECT_TRUE(use_of_real(text).value().real) << text;
  EXPECT_EQ(use_of_real("n * m / n").value().names, (std::set<std::string>{"m", "n"}));
}

TEST(RealExpression, InCppItsGroupsAreKept) {
  const auto cpp = [](const char* text) {
    return real_in_cpp(text, [](const std::string& name) { return "double(" + name + ")"; }).value();
  };
  EXPECT_EQ(cpp("1 - (n - 2) / 3"), "(1.0 - ((double(n) - 2.0) / 3.0))");
  EXPECT_EQ(cpp("-sqrt(n) ** 2"), "(-std::pow(std::sqrt(double(n)), 2.0))");
  EXPECT_EQ(cpp("max(1e-3, inverse_sqrt(n) // 2 % m)"),
            "std::max<double>(0.001, std::fmod(std::floor((1.0 / std::sqrt(double(n))) / 2.0), double(m)))");
}

}  // namespace
}  // namespace evo::model
