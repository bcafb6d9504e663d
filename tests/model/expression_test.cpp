#include "model/expression.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

namespace evo::model {
namespace {

std::int64_t integer(std::string_view text, const Environment& environment = {}) {
  const auto parsed = Expression::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().text());
  const auto value = parsed->evaluate_integer(environment);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().text());
  return value.value_or(-999);
}

std::string failure(std::string_view text, const Environment& environment = {}) {
  const auto parsed = Expression::parse(text, "problem.yaml", 7, 12);
  if (!parsed) return parsed.error().text();
  const auto value = parsed->evaluate_integer(environment);
  return value ? "no error: " + std::to_string(*value) : value.error().text();
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("7 - 2 - 1"), 4);
  EXPECT_EQ(integer("2 * 3 % 4"), 2);
  EXPECT_EQ(integer("-3 + 5"), 2);
  EXPECT_EQ(integer("1 < 2 and 2 < 1 or 3 == 3"), 1);
  EXPECT_EQ(integer("not 1 == 2"), 1) << "the word stands before a whole comparison, as in Python";
  EXPECT_EQ(integer("!1 == 0"), 1) << "the sign binds as tightly as in C";
  EXPECT_EQ(integer("not 1 == 2 and 2 == 3"), 0);
  EXPECT_EQ(integer("not not 5"), 1);
  EXPECT_EQ(integer("1 ? 2 ? 3 : 4 : 5"), 3);
  EXPECT_EQ(integer("5 != 4 && !(1 > 2)"), 1);
}

TEST(Expression, ComparisonsMayBeChained) {
  EXPECT_EQ(integer("32 <= 64 <= 1024"), 1);
  EXPECT_EQ(integer("32 <= 2048 <= 1024"), 0);
  EXPECT_EQ(integer("32 <= 8 * 2 <= 1024"), 0);
  EXPECT_EQ(integer("1 < 2 < 3 < 3"), 0);
  EXPECT_EQ(integer("2 == 2 == 2"), 1);
  EXPECT_EQ(integer("(2 == 2) == 2"), 0);
  EXPECT_EQ(integer("3 > 2 >= 2 and 1 < 2"), 1);
}

TEST(Expression, FloorDivisionRoundsAsInPython) {
  EXPECT_EQ(integer("7 // 2"), 3);
  EXPECT_EQ(integer("-7 // 2"), -4);
  EXPECT_EQ(integer("7 // -2"), -4);
  EXPECT_EQ(integer("-7 // -2"), 3);
  EXPECT_EQ(integer("-8 // 2"), -4);
  EXPECT_EQ(integer("-7 / 2"), -3) << "the single sign rounds towards zero";
  EXPECT_EQ(integer("2 * 7 // 4"), 3) << "from the left, with *";
  EXPECT_NE(failure("1 // 0").find("division by zero"), std::string::npos);
  EXPECT_NE(failure("(-9223372036854775807 - 1) // -1").find("64 bits"), std::string::npos);
}

TEST(Expression, PowersBindFromTheRight) {
  EXPECT_EQ(integer("2 ** 10"), 1024);
  EXPECT_EQ(integer("2 ** 3 ** 2"), 512);
  EXPECT_EQ(integer("-2 ** 2"), -4);
  EXPECT_EQ(integer("(-2) ** 3"), -8);
  EXPECT_EQ(integer("3 * 2 ** 2"), 12);
  EXPECT_EQ(integer("0 ** 0"), 1);
  EXPECT_EQ(integer("(-1) ** 9223372036854775807"), -1);
  EXPECT_NE(failure("2 ** 63").find("64 bits"), std::string::npos);
  EXPECT_NE(failure("2 ** -1").find("negative exponent"), std::string::npos);
}

TEST(Expression, MembershipIsAComparison) {
  const Environment environment{{"T", std::int64_t{32}}, {"KIND", std::string("half")}};
  EXPECT_EQ(integer("T in [16, 32]", environment), 1);
  EXPECT_EQ(integer("T not in [16, 32]", environment), 0);
  EXPECT_EQ(integer("T * 2 in (16, 64) and 1 < 2", environment), 1);
  EXPECT_EQ(integer("not T in [16]", environment), 1);
  EXPECT_EQ(integer("KIND in ['float', 'half']", environment), 1);
  EXPECT_EQ(integer("T in [T + 1, T - 1,]", environment), 0);
  EXPECT_EQ(integer("in + 1", {{"in", std::int64_t{1}}}), 2) << "an axis may have that name";
  EXPECT_NE(failure("T in 16").find("expected a list"), std::string::npos);
  EXPECT_NE(failure("1 in []").find("is empty"), std::string::npos);
  EXPECT_NE(failure("1 in [1 2]").find("expected ','"), std::string::npos);
}

TEST(Expression, TheWordNotNeedsParenthesesBehindAnOperator) {
  EXPECT_NE(failure("1 + not 2").find("in parentheses"), std::string::npos);
  EXPECT_EQ(integer("1 + (not 2)"), 1);
  EXPECT_EQ(integer("true and not False"), 1);
  EXPECT_EQ(integer("1 && !0 || 0"), 1);
}

TEST(Expression, KnowsFunctionsAndNames) {
  const Environment environment{
      {"seq", std::int64_t{100}}, {"BLOCK_M", std::int64_t{32}}, {"S_DTYPE", std::string("half")}};
  EXPECT_EQ(integer("ceil_div(seq, BLOCK_M)", environment), 4);
  EXPECT_EQ(integer("min(seq, 7) + max(seq, 7)", environment), 107);
  EXPECT_EQ(integer("BLOCK_M * (S_DTYPE == 'half' ? 2 : 4)", environment), 64);
  EXPECT_EQ(integer("S_DTYPE != 'float'", environment), 1);
}

TEST(Expression, CeilDivRoundsUpForEverySign) {
  EXPECT_EQ(integer("ceil_div(7, 2)"), 4);
  EXPECT_EQ(integer("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(integer("ceil_div(7, -2)"), -3);
  EXPECT_EQ(integer("ceil_div(-7, -2)"), 4);
}

TEST(Expression, SkipsTheBranchNotTaken) {
  EXPECT_EQ(integer("1 ? 2 : 1 / 0"), 2);
  EXPECT_EQ(integer("0 and 1 / 0"), 0);
  EXPECT_EQ(integer("1 or 1 / 0"), 1);
}

TEST(Expression, ErrorsSayWhatAndWhere) {
  EXPECT_NE(failure("4 / (seq - 4)", {{"seq", std::int64_t{4}}}).find("division by zero with seq=4"),
            std::string::npos);
  EXPECT_EQ(failure("4 % 0").substr(0, 15), "problem.yaml:7:");
  EXPECT_NE(failure("9223372036854775807 + 1").find("64 bits"), std::string::npos);
  EXPECT_NE(failure("-9223372036854775807 - 2").find("64 bits"), std::string::npos);
  EXPECT_NE(failure("9223372036854775808").find("64 bits"), std::string::npos);
  EXPECT_NE(failure("seqq").find("unknown name 'seqq'"), std::string::npos);
  EXPECT_NE(failure("1 +").find("ends"), std::string::npos);
  EXPECT_NE(failure("1 2").find("unexpected '2'"), std::string::npos);
  EXPECT_NE(failure("foo(1, 2)").find("unknown function 'foo'"), std::string::npos);
  EXPECT_NE(failure("'half").find("does not end"), std::string::npos);
  EXPECT_NE(failure("'half' + 1").find("symbol"), std::string::npos);
  EXPECT_NE(failure("'half' == 1").find("cannot be compared"), std::string::npos);
  EXPECT_NE(failure("").find("ends"), std::string::npos);
  EXPECT_NE(failure("12abc").find("begin with a digit"), std::string::npos);
}

TEST(Expression, DeepNestingIsAnErrorNotACrash) {
  EXPECT_NE(failure(std::string(100000, '(')).find("too deeply"), std::string::npos);
  EXPECT_NE(failure(std::string(100000, '-') + "1").find("too deeply"), std::string::npos);
}

TEST(Expression, DefaultIsZero) {
  EXPECT_EQ(Expression().evaluate_integer({}).value_or(1), 0);
  EXPECT_EQ(Expression(42).evaluate_integer({}).value_or(1), 42);
}

RC_GTEST_PROP(ExpressionProperty, AgreesWithTheHost, ()) {
  const auto a = *rc::gen::inRange<std::int64_t>(-100000, 100000);
  const auto b = *rc::gen::inRange<std::int64_t>(-100000, 100000);
  const auto c = *rc::gen::inRange<std::int64_t>(1, 1000);
  const Environment environment{{"a", a}, {"b", b}, {"c", c}};
  RC_ASSERT(integer("a * b - a % c + b / c", environment) == a * b - a % c + b / c);
  RC_ASSERT(integer("(a < b) + (a <= b) + (a == b)", environment) == (a < b) + (a <= b) + (a == b));
}

RC_GTEST_PROP(ExpressionProperty, AnyTextParsesOrFailsWithAMessage, (const std::string& text)) {
  const auto parsed = Expression::parse(text);
  if (!parsed) RC_ASSERT(!parsed.error().message.empty());
}

}  // namespace
}  // namespace evo::model
