// Numbers that stand in several arrays, or nearly.
#include "evaluators/oracle/matching.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

TEST(PlainIntegers, ArraysHoldStretchesOfEachOther) {
  std::vector<model::Argument> arguments(2);
  for (std::size_t i = 0; i < 2; ++i) {
    arguments[i].name = i == 0 ? "keys" : "table";
    arguments[i].dtype = DType::i32;
    arguments[i].fill.emplace();
    arguments[i].fill->form = model::FillForm::integers;
  }
  EXPECT_TRUE(may_match(arguments));
  arguments[1].dtype = DType::u8;
  EXPECT_FALSE(may_match(arguments));
  arguments[1].dtype = DType::i32;
  arguments[1].fill->form = model::FillForm::permutation;
  EXPECT_FALSE(may_match(arguments)) << "each number once";
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("keys", ArgumentRole::input, DType::i32, {400}),
                     tests::array_argument("table", ArgumentRole::input, DType::i32, {20})};
  bound.arguments[0].fill = {model::FillForm::integers, 0, 1000000};
  bound.arguments[1].fill = {model::FillForm::integers, 500000, 2000000};
  const auto shared = [&](const std::string& kind) {
    const auto inputs = make_inputs(tests::known(), bound, {kind, kind, {}}, {.seed = 7});
    EXPECT_TRUE(inputs);
    const auto keys = load_array(bound.arguments[0], inputs->at(0));
    const auto table = load_array(bound.arguments[1], inputs->at(1));
    EXPECT_LE(std::ranges::max(keys), 1000000) << "what it may not hold stays out";
    return std::ranges::count_if(keys, [&](double key) { return std::ranges::count(table, key) > 0; });
  };
  EXPECT_LE(shared("normal"), 1);
  EXPECT_GT(shared("matches"), 20);
}

TEST(PlainIntegers, ATableInOrderHasEqualsAndQueriesBesideThem) {
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("queries", ArgumentRole::input, DType::f32, {4000}),
                     tests::array_argument("table", ArgumentRole::input, DType::f32, {300})};
  bound.arguments[1].fill = {model::FillForm::sorted, 1, 2};
  const auto inputs = make_inputs(tests::known(), bound, {"matches", "matches", {}}, {.seed = 7});
  ASSERT_TRUE(inputs);
  const auto table = load_array(bound.arguments[1], inputs->at(1));
  EXPECT_TRUE(std::ranges::is_sorted(table));
  const std::set<double> numbers(table.begin(), table.end());
  EXPECT_LT(numbers.size(), 200U) << "what begins and what ends among equals differ";
  int beside = 0, equal = 0;
  for (const double query : load_array(bound.arguments[0], inputs->at(0))) {
    const auto next = numbers.lower_bound(query);
    if (next != numbers.end() && *next == query) ++equal;
    if (next != numbers.end() && *next != query && *next - query < 0x1p-20) ++beside;
  }
  EXPECT_GT(equal, 300);
  EXPECT_GT(beside, 5) << "who compares with an epsilon";
}

TEST(PlainIntegers, SomeMatchButForABit) {
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("keys", ArgumentRole::input, DType::u32, {4000}),
                     tests::array_argument("table", ArgumentRole::input, DType::u32, {300})};
  const auto inputs = make_inputs(tests::known(), bound, {"matches", "matches", {}}, {.seed = 7});
  ASSERT_TRUE(inputs);
  const auto table = load_array(bound.arguments[1], inputs->at(1));
  std::set<std::int64_t> known;
  for (const double value : table) known.insert(static_cast<std::int64_t>(value));
  int high = 0, neighbours = 0;
  for (const double value : load_array(bound.arguments[0], inputs->at(0))) {
    const auto key = static_cast<std::int64_t>(value);
    if (known.contains(key)) continue;
    for (int bit = 24; bit < 32; ++bit) high += known.contains(key ^ (std::int64_t{1} << bit)) ? 1 : 0;
    neighbours += key > 0x1000000 && (known.contains(key + 1) || known.contains(key - 1)) ? 1 : 0;
  }
  EXPECT_GT(high, 5) << "who compares 24 bits";
  EXPECT_GT(neighbours, 5) << "who compares as float";
}

TEST(PlainIntegers, PairsOf64BitsDifferInLowBitsOrInAWord) {
  model::Case bound;
  bound.name = "case";
  for (const char* name : {"a", "b"})
    bound.arguments.push_back(tests::array_argument(name, ArgumentRole::input, DType::i64, {20000}));
  bound.arguments.push_back(tests::array_argument("y", ArgumentRole::output, DType::i32, {20000}));
  bound.reference_launch.emplace();
  const auto inputs = make_inputs(tests::known(), bound, {"matches", "matches", {}}, {.seed = 7});
  ASSERT_TRUE(inputs);
  int equal = 0, same_as_double = 0, words = 0;
  for (std::size_t e = 0; e < 20000; ++e) {
    std::int64_t a = 0, b = 0;
    std::memcpy(&a, inputs->at(0).data() + 8 * e, 8);
    std::memcpy(&b, inputs->at(1).data() + 8 * e, 8);
    equal += a == b ? 1 : 0;
    same_as_double += a != b && static_cast<double>(a) == static_cast<double>(b) ? 1 : 0;
    words += a >> 32 == b >> 32 && a >> 32 != 0 && a >> 32 != -1 && (a ^ b) & 0x80000000 ? 1 : 0;
  }
  EXPECT_GT(equal, 500);
  EXPECT_GT(same_as_double, 20) << "who compares as double";
  EXPECT_GT(words, 5) << "who compares low words with a sign";
}

TEST(PlainIntegers, FloatingPointNumbersMatchATableThatIsInOrder) {
  std::vector<model::Argument> arguments(3);
  for (std::size_t i = 0; i < 3; ++i) {
    arguments[i].name = std::string(1, static_cast<char>('a' + static_cast<char>(i)));
    arguments[i].dtype = i < 2 ? DType::f32 : DType::i32;
  }
  arguments[0].fill.emplace();
  arguments[0].fill->form = model::FillForm::sorted;
  arguments[2].role = ArgumentRole::output;
  EXPECT_TRUE(may_match(arguments));
  arguments[2].dtype = DType::f32;
  EXPECT_TRUE(may_match(arguments)) << "something is looked up";
  arguments[0].fill->form = model::FillForm::normal;
  EXPECT_FALSE(may_match(arguments)) << "nothing is counted or found";
  arguments[0].fill->form = model::FillForm::sorted;
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("a", ArgumentRole::input, DType::f32, {50}),
                     tests::array_argument("b", ArgumentRole::input, DType::f32, {70})};
  bound.arguments[0].fill = {model::FillForm::sorted, -3, 3};
  const model::InputSet set{"matches", "matches", {}};
  const auto inputs = make_inputs(tests::known(), bound, set, {.seed = 7});
  ASSERT_TRUE(inputs);
  const auto table = load_array(bound.arguments[0], inputs->at(0));
  EXPECT_TRUE(std::ranges::is_sorted(table));
  EXPECT_GT(std::ranges::count_if(load_array(bound.arguments[1], inputs->at(1)),
                                  [&](double value) { return std::ranges::count(table, value) > 0; }),
            10);
  EXPECT_TRUE(has_ties(set)) << "no move of the inputs grants another place";
}

}  // namespace
}  // namespace evo::evaluators::oracle
