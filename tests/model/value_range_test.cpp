#include "model/value_range.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::optional<ValueRange> range(const std::string& text, const ValueRanges& names) {
  const auto expression = Expression::parse(text);
  if (!expression) return std::nullopt;
  return range_of(*expression, names);
}

TEST(ValueRange, OfAnAxis) {
  Axis axis;
  EXPECT_EQ(range_of(axis), (ValueRange{std::numeric_limits<std::int64_t>::min(), largest}))
      << "a workload may give it 0";
  axis.minimum = 4;
  axis.maximum = 100;
  EXPECT_EQ(range_of(axis), (ValueRange{4, 100}));
  axis.allowed = {64, 8, 32};
  EXPECT_EQ(range_of(axis), (ValueRange{8, 64, 8}));
  Axis flag;
  flag.allowed = {0, 1};
  EXPECT_EQ(range_of(flag), (ValueRange{0, 1})) << "without a minimum a list is not cut at 1";
}

TEST(ValueRange, OfExpressions) {
  const ValueRanges names{{"n", {1, 100}}, {"k", {-3, 5}}, {"all", {1, largest}}};
  EXPECT_EQ(range("8", names), (ValueRange{8, 8, 8}));
  EXPECT_EQ(range("2 * n - 1", names), (ValueRange{1, 199}));
  EXPECT_EQ(range("n * k", names), (ValueRange{-300, 500}));
  EXPECT_EQ(range("ceil_div(n, 32)", names), (ValueRange{1, 4}));
  EXPECT_EQ(range("n > 5 ? n : k", names), (ValueRange{-3, 100}));
  EXPECT_EQ(range("2 ** 10", names), (ValueRange{1024, 1024, 1024}));
  EXPECT_EQ(range("all", names), (ValueRange{1, largest}));
}

TEST(ValueRange, KnowsWhatItsValuesAreMultiplesOf) {
  Axis axis;
  axis.minimum = 4;
  axis.maximum = 100;
  axis.multiple_of = 4;
  EXPECT_EQ(range_of(axis), (ValueRange{4, 100, 4}));
  EXPECT_EQ(range_of(0), (ValueRange{0, 0, 0}));
  EXPECT_EQ(range_of(std::numeric_limits<std::int64_t>::min()).multiple, std::int64_t{1} << 62);
  const ValueRanges names{{"k", {12, 96, 12}}, {"m", {1, 50}}};
  const auto multiple = [&](const std::string& text) { return range(text, names)->multiple; };
  EXPECT_EQ(multiple("k + 8"), 4);
  EXPECT_EQ(multiple("3 * k - 36"), 36);
  EXPECT_EQ(multiple("k * m"), 12);
  EXPECT_EQ(multiple("k / 4"), 3);
  EXPECT_EQ(multiple("k / 5"), 1);
  EXPECT_EQ(multiple("k % 8"), 4);
  EXPECT_EQ(multiple("-k"), 12);
  EXPECT_EQ(multiple("min(k, 30)"), 6);
  EXPECT_EQ(multiple("m > 3 ? k : 18"), 6);
  EXPECT_EQ(multiple("m < 3"), 1);
}

TEST(ValueRange, NothingWhereItCannotBeSaid) {
  const ValueRanges names{{"n", {1, 100}}, {"k", {-3, 5}}, {"all", {1, largest}}};
  EXPECT_FALSE(range("m", names));
  EXPECT_FALSE(range("n / k", names));
  EXPECT_FALSE(range("all + 1", names));
}

RC_GTEST_PROP(ValueRange, HoldsEveryValue, ()) {
  const std::vector<std::string> texts{"a + b",
                                       "a - b",
                                       "a * b",
                                       "min(a, b)",
                                       "max(a, -b)",
                                       "a % 7",
                                       "a // 3",
                                       "a / 3",
                                       "ceil_div(a, 5)",
                                       "a < b ? a : b",
                                       "a == b",
                                       "not a",
                                       "(a + 1) * (b - 2)"};
  const std::string text = *rc::gen::elementOf(texts);
  const auto low = *rc::gen::inRange<std::int64_t>(-20, 20),
             high = low + *rc::gen::inRange<std::int64_t>(0, 20);
  const auto b_low = *rc::gen::inRange<std::int64_t>(-20, 20),
             b_high = b_low + *rc::gen::inRange<std::int64_t>(0, 20);
  // Those of `a` are multiples of a step.
  const auto step = *rc::gen::inRange<std::int64_t>(1, 7);
  const std::optional<ValueRange> all =
      range(text, {{"a", {step * low, step * high, step}}, {"b", {b_low, b_high}}});
  if (!all) RC_DISCARD("not said");
  const Environment values{{"a", Value{step * *rc::gen::inRange<std::int64_t>(low, high + 1)}},
                           {"b", Value{*rc::gen::inRange<std::int64_t>(b_low, b_high + 1)}}};
  const auto value = Expression::parse(text)->evaluate_integer(values);
  if (!value) RC_DISCARD("no value");
  RC_ASSERT(all->least <= *value && *value <= all->most);
  RC_ASSERT((all->multiple == 0 ? *value == 0 : *value % all->multiple == 0));
}

}  // namespace
}  // namespace evo::model
