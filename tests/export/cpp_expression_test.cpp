#include "export/cpp_expression.hpp"

#include <gtest/gtest.h>

namespace evo::exporting {
namespace {

std::string cpp(const std::string& text) {
  const auto expression = model::Expression::parse(text);
  EXPECT_TRUE(expression) << text;
  const auto written = to_cpp(*expression, [](const std::string& name) { return name; });
  EXPECT_TRUE(written);
  return written.value_or("");
}

TEST(CppExpression, KeepsMeaningWhereTheGrammarsDiffer) {
  EXPECT_EQ(cpp("a + b * c"), "a + b * c");
  EXPECT_EQ(cpp("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(cpp("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(cpp("a - b - c"), "a - b - c");
  EXPECT_EQ(cpp("a / (b / c)"), "a / (b / c)");
  EXPECT_EQ(cpp("-(a + b)"), "-(a + b)");
  EXPECT_EQ(cpp("ceil_div(seq, BLOCK_M)"), "ceil_div(seq, BLOCK_M)");
  EXPECT_EQ(cpp("min(a, max(b, 3))"), "smaller(a, larger(b, 3))");
  EXPECT_EQ(cpp("a and b or c"), "(a && b) || c");
  EXPECT_EQ(cpp("S_DTYPE == 'half' ? 2 : 4"), "S_DTYPE == symbol_half ? 2 : 4");
  EXPECT_EQ(cpp("2 * (S_DTYPE == 'half' ? 2 : 4)"), "2 * (S_DTYPE == symbol_half ? 2 : 4)");
  EXPECT_EQ(cpp("head_dim + (layout == 2)"), "head_dim + (layout == 2)");
  EXPECT_EQ(cpp("5000000000 * a"), "5000000000LL * a");
}

TEST(CppExpression, NotBindsAsInTheProblem) {
  const auto expression = model::Expression::parse("not a == b");
  ASSERT_TRUE(expression);
  for (const std::int64_t a : {0, 1, 2}) {
    for (const std::int64_t b : {0, 1, 2}) {
      const auto value = expression->evaluate_integer({{"a", a}, {"b", b}});
      ASSERT_TRUE(value);
      const std::string text = cpp("not a == b");
      const std::int64_t as_cpp = text == "!(a == b)" ? !(a == b) : text == "(!a) == b" ? int{!a} == b : -1;
      EXPECT_EQ(*value, as_cpp) << text;
    }
  }
}

TEST(CppExpression, Constants) {
  EXPECT_EQ(to_cpp(model::Expression(42), [](const std::string& n) { return n; }).value_or(""), "42");
  EXPECT_EQ(to_cpp(model::Expression(), [](const std::string& n) { return n; }).value_or(""), "0");
  EXPECT_EQ(identifier("8-bit float"), "_8_bit_float");
}

}  // namespace
}  // namespace evo::exporting
