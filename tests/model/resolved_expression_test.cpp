#include "model/resolved_expression.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

namespace evo::model {
namespace {

/// What evaluate() says under `environment`, whose names are variables when they are upper case.
void expect_same(const std::string& text, const Environment& environment) {
  const auto expression = Expression::parse(text);
  ASSERT_TRUE(expression) << text;
  Symbols symbols;
  std::vector<std::string> variables;
  std::vector<Operand> values;
  Environment constants;
  for (const auto& [name, value] : environment) {
    if (name[0] < 'a') {
      variables.push_back(name);
      values.push_back(symbols.operand(value));
    } else {
      constants.emplace(name, value);
    }
  }
  const auto resolved = ResolvedExpression(*expression, variables, constants, symbols).value(values);
  const auto expected = expression->evaluate(environment);
  ASSERT_EQ(resolved.has_value(), expected.has_value())
      << text << ": " << (expected ? "has a value" : expected.error().text());
  if (expected) {
    EXPECT_EQ(*resolved, symbols.operand(*expected)) << text << " is " << to_string(*expected);
  }
}

constexpr std::int64_t lowest = INT64_MIN;

/// Any text of the grammar: leaves are small and extreme numbers, symbols, and names with and without a
/// value.
std::string any_expression(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 4) == 0) {
    return *rc::gen::element<std::string>("0", "1", "2", "7", "9223372036854775807", "'half'", "'float'", "A",
                                          "B", "C", "a", "s", "nobody");
  }
  const auto operand = [&] { return any_expression(depth - 1); };
  const int form = *rc::gen::inRange(0, 8);
  if (form == 0) return fmt::format("({} ? {} : {})", operand(), operand(), operand());
  if (form == 1) return fmt::format("(not {})", operand());
  if (form == 2) return fmt::format("(-{})", operand());
  if (form == 3) {
    const auto function = *rc::gen::element<std::string>("ceil_div", "min", "max");
    return fmt::format("{}({}, {})", function, operand(), operand());
  }
  const auto infix =
      *rc::gen::element<std::string>("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or");
  return fmt::format("({} {} {})", operand(), infix, operand());
}

RC_GTEST_PROP(ResolvedExpressionProperty, AgreesWithEvaluate, ()) {
  const auto number =
      rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-3, 4), rc::gen::element(lowest, INT64_MAX));
  const Environment environment{{"A", *number},
                                {"B", *number},
                                {"C", std::string("half")},
                                {"a", *number},
                                {"s", std::string("float")}};
  expect_same(any_expression(4), environment);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(ResolvedExpression, WhereEvaluateFailsItHasNoValue) {
  const Environment environment{{"A", std::int64_t{0}}, {"C", std::string("half")}, {"n", lowest}};
  for (const char* text : {"4 / A", "4 % A", "ceil_div(4, A)", "n / (-1)", "n - 1", "-n", "C + 1", "C == 1",
                           "nobody", "not C", "C ? 1 : 2", "1 and C", "min(C, C)"}) {
    EXPECT_FALSE(Expression::parse(text)->evaluate(environment)) << text;
    expect_same(text, environment);
  }
}

TEST(ResolvedExpression, WhatIsNotReachedCannotFail) {
  for (const char* text : {"1 ? 2 : nobody", "0 and nobody", "1 or 1 / 0"}) {
    EXPECT_TRUE(Expression::parse(text)->evaluate({})) << text;
    expect_same(text, {});
  }
}

TEST(ResolvedExpression, SymbolsAreComparedAndReturned) {
  const Environment environment{{"C", std::string("half")}, {"c", std::string("half")}};
  for (const char* text : {"C == c", "C != 'half'", "C == 'float'", "C", "1 ? C : 2"})
    expect_same(text, environment);
}

TEST(ResolvedExpression, WithoutTextItIsZero) {
  Symbols symbols;
  EXPECT_EQ(ResolvedExpression(Expression(), {}, {}, symbols).value({}), Operand{});
  EXPECT_EQ(ResolvedExpression(Expression(42), {}, {}, symbols).value({}), Operand{42});
}

}  // namespace
}  // namespace evo::model
