// Values followed backwards through a text.
#include "diagnose/definitions.hpp"

#include <array>

#include <gtest/gtest.h>

namespace evo::diagnose {
namespace {

using Names = std::vector<std::string>;
using Lines = std::vector<std::string>;

TEST(Factors, AreWhatALineMultipliesBy) {
  EXPECT_EQ(factors_of("  row_sum *= alpha;"), (Names{"alpha"}));
  EXPECT_EQ(factors_of("sum = fmaf(row_sum[row], alpha, sum);  // b * c"), (Names{"row_sum", "alpha"}));
  EXPECT_EQ(factors_of("tile.x[e] *= alpha[e];"), (Names{"alpha"}));
  EXPECT_EQ(factors_of("part = make_float4(part.x * alpha, part.y * alpha);"), (Names{"alpha"}));
  EXPECT_EQ(factors_of("x = y + z;"), Names{});
}

TEST(Definition, IsTheNearestAssignmentBefore) {
  const Lines lines{"a = 1 + b;", "a = 2 * b;", "c *= a;", "a = 3 * b;"};
  EXPECT_EQ(definition_line(lines, 3, "a"), 2);
  EXPECT_EQ(definition_line(lines, 3, "d"), 0);
}

TEST(Definition, OfALoopMayStandBehindTheUse) {
  const Lines lines{"float a = 0.0f;", "for (;;) {", "c *= a;", "a = 3 * b;", "}"};
  EXPECT_EQ(definition_line(lines, 3, "a"), 4) << "the number that it starts with is passed over";
}

TEST(Definition, OfAConstantMayBeANumber) {
  const Lines lines{"const float a = 1.0f;", "c *= a;"};
  EXPECT_EQ(definition_line(lines, 2, "a"), 1);
}

TEST(Definition, FollowsCopiesThroughMemory) {
  const Lines lines{"alpha = expf(old - top);", "row_alpha[row] = alpha;",
                    "const float alpha = row_alpha[my_row + i];", "out[i] *= alpha;"};
  EXPECT_EQ(definition_line(lines, 4, "alpha"), 1);
}

TEST(Definition, IsNoComparisonAndNoOtherName) {
  const Lines lines{"a = f(b);", "if (a == 1) x();", "my_a = 2 * b;", "s.a = 3 * b;", "c *= a;"};
  EXPECT_EQ(definition_line(lines, 5, "a"), 1);
}

TEST(FactorDefinitions, AreThoseThatTheCauseSpeaksOf) {
  const std::vector<std::string> words{"exp"};
  const Lines lines{"float alpha = expf(m - m);", "float unit = 2 * scale;",
                    "sum = fmaf(sum, alpha, p * unit);"};
  EXPECT_EQ(factor_definitions(lines, 3, words), (std::vector<int>{1}));
  EXPECT_EQ(factor_definitions(lines, 3, {}), std::vector<int>{});
  EXPECT_EQ(factor_definitions(lines, 9, words), std::vector<int>{});
}

}  // namespace
}  // namespace evo::diagnose
