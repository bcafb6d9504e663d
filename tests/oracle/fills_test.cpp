// Arguments that say what they hold keep to it in every input set, and still vary.
#include "evaluators/oracle/fills.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/oracle/fills_fixture.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::BoundFill;
using model::DType;
using model::FillForm;

/// What is added to them leaves the type only next to its end.
TEST_F(Fills, NextToAnEndAreSomeOfEachMagnitude) {
  const double most = 4294967295;
  const model::Case wide = with({FillForm::integers, 0, most}, DType::u32, {20, 50});
  const std::vector<double> top = values(wide, {"top", "top", {}}),
                            bottom = values(wide, {"b", "bottom", {}});
  const auto within = [](const std::vector<double>& all, double end, double away) {
    return std::ranges::count_if(all, [&](double value) { return std::abs(value - end) <= away; });
  };
  EXPECT_EQ(within(top, most, most / 32 + 1), 1000);
  EXPECT_EQ(within(bottom, 0, most / 32 + 1), 1000);
  for (const double away : {100.0, 10000.0}) {
    EXPECT_GT(within(top, most, away), 50) << away;
    EXPECT_GT(within(bottom, 0, away), 50) << away;
  }
  EXPECT_GT(within(top, most, most / 32 + 1) - within(top, most, most / 1024), 300) << "and far from it";
  for (const std::size_t e : {0U, 32U, 50U, 982U}) {
    EXPECT_EQ(top[e], most) << e << ", the same place in all arrays";
    EXPECT_EQ(bottom[e], 0) << e;
  }
}

TEST_F(Fills, HalvesOfARangeThatHasNoneAreFiner) {
  const model::Case bound = with({FillForm::uniform, 0.005, 0.05}, DType::f32, {20, 50});
  const std::vector<double> all =
      values(bound, {"fine_halves of x", "fine_halves", {{"argument", 0}, {undeclared_parameter.data(), 1}}});
  for (const double value : all) {
    EXPECT_TRUE(value > 0.005 && value < 0.05) << value;
    EXPECT_EQ(value * 0x1p15, std::floor(value * 0x1p15)) << "a rounded end makes no ties: " << value;
  }
  EXPECT_GT(std::set<double>(all.begin(), all.end()).size(), 10U);
}

TEST_F(Fills, FewNumbersAreAllAtTheEnd) {
  const auto all = [&](double low, double high, const char* kind, double wanted) {
    const model::Case few = with({FillForm::integers, low, high}, DType::i32, {20, 50});
    return std::ranges::all_of(values(few, {kind, kind, {}}), [&](double value) { return value == wanted; });
  };
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, std::pair{-1.0, 1.0}, std::pair{3.0, 30.0}}) {
    EXPECT_TRUE(all(low, high, "top", high)) << high;
    EXPECT_TRUE(all(low, high, "bottom", low)) << low;
  }
}

TEST_F(Fills, StretchesOfEqualWordsHoldPowersOfTwo) {
  const auto powers_in = [&](double low, double high, DType dtype) {
    const model::Case bound = with({FillForm::integers, low, high}, dtype, {40, 50});
    std::set<double> powers;
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
      for (const double value : values(bound, {"runs", "runs", {}}, seed)) {
        EXPECT_TRUE(value >= low && value <= high) << value;
        if (value != 0 && std::exp2(std::floor(std::log2(std::abs(value)))) == std::abs(value))
          powers.insert(value);
      }
    }
    return powers;
  };
  const std::set<double> words = powers_in(-2147483648.0, 2147483647, DType::i32);
  EXPECT_GT(words.size(), 30U);
  EXPECT_LT(*words.begin(), -0x1p24);
  EXPECT_GT(*words.rbegin(), 0x1p24);
  EXPECT_LT(powers_in(1000, 100000, DType::i32).size(), 3U) << "what is no word has no bits of its own";
}

TEST_F(Fills, StayWithinTheirRangeInEverySet) {
  for (const auto& [form, dtype] : std::vector<std::pair<FillForm, DType>>{{FillForm::integers, DType::i32},
                                                                           {FillForm::integers, DType::f32},
                                                                           {FillForm::integers, DType::u8},
                                                                           {FillForm::uniform, DType::f32},
                                                                           {FillForm::uniform, DType::f64},
                                                                           {FillForm::normal, DType::f32}}) {
    const model::Case bound = with({form, 20, 50}, dtype);
    const BoundFill& fill = *bound.arguments[0].fill;
    std::set<std::vector<double>> different;
    bool low = false, high = false;
    for (const model::InputSet& set : all_sets(form, dtype)) {
      const std::vector<double> found = values(bound, set);
      different.insert(found);
      for (const double value : found) {
        ASSERT_GE(value, fill.low()) << set.name;
        ASSERT_LE(value, fill.high()) << set.name;
        low |= value == fill.low();
        high |= value == fill.high();
        if (form == FillForm::integers) {
          ASSERT_EQ(value, std::floor(value)) << set.name;
        }
      }
    }
    EXPECT_TRUE(low && high) << "both ends are tried";
    EXPECT_GE(different.size(), 9U) << "patterns vary within the range";
  }
}

TEST_F(Fills, PatternsAreWhatTheirNamesSay) {
  const model::Case bound = with({FillForm::integers, 0, 9}, DType::i32, {4, 5});
  const auto pattern = [&](const char* kind) {
    return values(bound,
                  {std::string(kind) + " of x", kind, {{"argument", 0}, {undeclared_parameter.data(), 1}}});
  };
  EXPECT_TRUE(std::ranges::is_sorted(pattern("rising")));
  EXPECT_TRUE(std::ranges::is_sorted(pattern("falling"), std::greater()));
  EXPECT_EQ(pattern("ones"), std::vector<double>(20, 9));
  const auto spike = pattern("late_spike");
  for (std::size_t e = 0; e < 20; ++e) {
    if (e % 5 == 4 || e >= 15) {
      EXPECT_EQ(spike[e], 9) << e;
    }
  }
  EXPECT_EQ(std::ranges::count(pattern("dominant"), 9.0), 4) << "one a row";
  const auto other =
      values(bound, {"rising of y", "rising", {{"argument", 1}, {undeclared_parameter.data(), 1}}});
  EXPECT_FALSE(std::ranges::is_sorted(other)) << "a pattern of another argument leaves this one as it is";
}

TEST_F(Fills, LengthsReachTheEndWhereTheLastNumbersOfOthersMatter) {
  const auto at_the_end = [&](const char* kind, const model::Case& bound) {
    const auto found = values(
        bound, {std::string(kind) + " of y", kind, {{"argument", 1}, {undeclared_parameter.data(), 1}}});
    return std::ranges::count(found, 999.0);
  };
  const model::Case lengths = with({FillForm::integers, 1, 999}, DType::i32);
  for (const char* kind : {"late_spike", "rising", "creeping"}) {
    EXPECT_GT(at_the_end(kind, lengths), 30) << kind;
    EXPECT_LT(at_the_end(kind, lengths), 90) << kind;
    EXPECT_LT(at_the_end(kind, with({FillForm::uniform, 1, 999}, DType::f32)), 5) << kind << ": no length";
  }
  EXPECT_LT(at_the_end("early_spike", lengths), 5);
  model::Case beside = lengths;
  beside.arguments[1].dtype = DType::i32;
  EXPECT_LT(at_the_end("late_spike", beside), 5) << "beside integers";
}

TEST_F(Fills, WhatIsRoundedBehindAPowerOfTwoStandsBetweenTwo) {
  const model::Case bound = with({FillForm::uniform, -50, 50}, DType::f32, {2000});
  const auto found =
      values(bound, {"fine_halves of x", "fine_halves", {{"argument", 0}, {undeclared_parameter.data(), 1}}});
  for (int power = 0; power < 9; ++power) {
    const auto tie = [&](double value) {
      const double scaled = std::ldexp(value, power);
      return scaled - std::floor(scaled) == 0.5;
    };
    EXPECT_GT(std::ranges::count_if(found, tie), 100) << power;
  }
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = DType::f32;
  arguments[0].fill.emplace();
  arguments[0].fill->form = FillForm::uniform;
  arguments[1].role = ArgumentRole::output;
  arguments[1].dtype = DType::i16;
  const auto asked = [&] {
    const auto sets = structured_sets(arguments);
    return std::ranges::count(sets, std::string("fine_halves of x"), &model::InputSet::name);
  };
  EXPECT_EQ(asked(), 1);
  arguments[1].dtype = DType::f32;
  EXPECT_EQ(asked(), 0) << "nothing is rounded to an integer";
}

TEST_F(Fills, WordsAreOddMultiplesOfEachPowerOfTwo) {
  const double most = 4294967295.0;
  const model::Case bound = with({FillForm::integers, 0, most}, DType::u32, {8000});
  const auto found = values(
      bound, {"odd_multiples of x", "odd_multiples", {{"argument", 0}, {undeclared_parameter.data(), 1}}});
  for (int power = 0; power < 31; ++power) {
    const auto at = [&](double value) {
      return std::fmod(value, std::ldexp(2, power)) == std::ldexp(1, power);
    };
    EXPECT_GT(std::ranges::count_if(found, at), 50) << power;
  }
  for (const double value : found) EXPECT_TRUE(value >= 0 && value <= most) << value;
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = DType::u32;
  arguments[1].role = ArgumentRole::output;
  arguments[1].dtype = DType::u16;
  const auto asked = [&] {
    const auto sets = structured_sets(arguments);
    return std::ranges::count(sets, std::string("odd_multiples of x"), &model::InputSet::name);
  };
  EXPECT_EQ(asked(), 1) << "nobody says what it holds";
  arguments[1].dtype = DType::f32;
  EXPECT_EQ(asked(), 0) << "a sum has no room for it";
  arguments[0].fill.emplace();
  arguments[0].fill->form = FillForm::integers;
  arguments[0].fill->numbers = {{{}, 0}, {{}, most}};
  EXPECT_EQ(asked(), 1) << "whoever gives all of 32 bits means words";
  arguments[0].fill->numbers[1].number = 1000;
  EXPECT_EQ(asked(), 0) << "a count";
}

TEST_F(Fills, AreAllZeroWhereTheirRangeHasZero) {
  const model::InputSet set{"all_zero of x", "all_zero", {{"argument", 0}, {undeclared_parameter.data(), 1}}};
  for (const BoundFill& fill : {BoundFill{FillForm::integers, 0, 50}, BoundFill{FillForm::uniform, -2, 2},
                                BoundFill{FillForm::normal, 0, 1}, BoundFill{FillForm::zipf, 20, 1}})
    EXPECT_EQ(values(with(fill, DType::f32), set), std::vector<double>(120, 0.0));
  for (const double value : values(with({FillForm::integers, 1, 50}, DType::i32), set)) EXPECT_GE(value, 1);
  model::Fill written;
  written.form = FillForm::integers;
  written.numbers = {{{}, 1}, {{}, 50}};
  EXPECT_FALSE(may_be_zero(written));
  written.numbers[0].number = 0;
  EXPECT_TRUE(may_be_zero(written));
}

TEST_F(Fills, LieNextToZeroWhereTheirRangeHasZero) {
  const model::InputSet set{"near_zero of x", "near_zero", {{"argument", 0}}};
  for (const BoundFill& fill : {BoundFill{FillForm::uniform, -3, 2}, BoundFill{FillForm::normal, 0, 1}}) {
    const auto drawn = values(with(fill, DType::f32), set);
    for (const double value : drawn) EXPECT_LT(std::abs(value), 0x1p-12);
    EXPECT_TRUE(std::ranges::any_of(drawn, [](double value) { return value != 0; }));
  }
  for (const double value : values(with({FillForm::uniform, 1, 2}, DType::f32), set)) EXPECT_GE(value, 1);
}

TEST_F(Fills, WhatIsRoundedToIntegersStandsBetweenTwo) {
  const auto has_halves = [&](FillForm form, DType input, DType output) {
    std::vector<model::Argument> arguments(2);
    arguments[0].name = "x";
    arguments[0].dtype = input;
    arguments[0].fill.emplace();
    arguments[0].fill->form = form;
    arguments[1].role = ArgumentRole::output;
    arguments[1].dtype = output;
    return std::ranges::any_of(structured_sets(arguments),
                               [](const model::InputSet& set) { return set.name == "halves of x"; });
  };
  EXPECT_TRUE(has_halves(FillForm::uniform, DType::f32, DType::u8));
  EXPECT_TRUE(has_halves(FillForm::normal, DType::f16, DType::i32));
  EXPECT_FALSE(has_halves(FillForm::uniform, DType::f32, DType::f32));
  EXPECT_FALSE(has_halves(FillForm::integers, DType::f32, DType::u8));
  EXPECT_FALSE(has_halves(FillForm::uniform, DType::i32, DType::u8));
  const model::Case bound = with({FillForm::uniform, -100, 400}, DType::f32);
  const auto found =
      values(bound, {"halves of x", "halves", {{"argument", 0}, {undeclared_parameter.data(), 1}}});
  const auto ties =
      std::ranges::count_if(found, [](double value) { return value - std::floor(value) == 0.5; });
  EXPECT_GE(2 * ties, static_cast<std::ptrdiff_t>(found.size()));
  for (const double value : found) EXPECT_TRUE(value >= -100 && value <= 400) << value;
}

TEST_F(Fills, ARecordingIsReadAgainFromItsStart) {
  auto recording = std::make_shared<model::Recording>();
  recording->shape = {2, 3};
  recording->values = {1, 2, 3, 4, 5, 6};
  BoundFill fill{FillForm::npy};
  fill.recording = recording;
  const std::vector<double> found = values(with(fill, DType::i32, {3, 4}), {"plain", "normal", {}});
  EXPECT_EQ(found, (std::vector<double>{1, 2, 3, 1, 4, 5, 6, 4, 1, 2, 3, 1}));
}

TEST_F(Fills, ASetMayNameAnother) {
  model::Case bound = with({FillForm::integers, 0, 9});
  bound.arguments[0].set_fills["hot"] = {FillForm::constant, 800};
  EXPECT_EQ(values(bound, {"hot", "normal", {}}), std::vector<double>(120, 800));
  EXPECT_LE(std::ranges::max(values(bound, {"plain", "normal", {}})), 9);
}

/// An Error where x leaves [0, 1].
model::Expected<ReferenceOutputs> within_one(const model::Case& bound, const InputBuffers& inputs) {
  for (const double value : load_array(bound.arguments[0], inputs[0])) {
    if (!(value >= 0 && value <= 1)) return tl::make_unexpected(model::Error{"x leaves its range"});
  }
  return ReferenceOutputs{{}, load_array(bound.arguments[1], inputs[1])};
}

TEST_F(Fills, WhatMovesForAConditionStaysWithinTheRange) {
  const model::Case bound = with({FillForm::uniform, 0, 1}, DType::f32);
  const auto inputs =
      make_inputs(tests::known(), bound, {"ones of x", "ones", {{"argument", 0}}}, {.seed = 1}).value();
  const Oracle oracle{"within_one", "", &within_one};
  Reference reference;
  reference.outputs = oracle.compute(bound, inputs).value();
  const auto moved = measure_conditioning(oracle, bound, inputs, reference, 0.25, 3);
  ASSERT_TRUE(moved) << moved.error().text();
  EXPECT_GT((*moved)[1].largest, 0.1) << "what has no range moves";
}

TEST_F(Fills, DrawsDifferBySeedAndSet) {
  const model::Case bound = with({FillForm::uniform, 0, 1}, DType::f32);
  const model::InputSet plain{"plain", "normal", {}};
  EXPECT_NE(values(bound, plain, 1), values(bound, plain, 2));
  EXPECT_NE(values(bound, plain), values(bound, {"other", "normal", {}}));
  EXPECT_EQ(values(bound, plain), values(bound, plain));
}

TEST_F(Fills, AnInoutIsDrawnLikeAnInput) {
  model::Case bound = with({FillForm::uniform, 2, 3}, DType::f32);
  bound.arguments[0].role = ArgumentRole::inout;
  bound.arguments[1].role = ArgumentRole::inout;
  const model::InputSet ones{"ones of y", "ones", {{"argument", 1}}};
  EXPECT_GE(std::ranges::min(values(bound, ones)), 2);
  EXPECT_EQ(values(bound, ones, 1, 1), std::vector<double>(120, 1));
}

TEST(Integers, ThatNobodySpeaksOfAreSpreadOut) {
  model::Case bound;
  bound.name = "case";
  for (const DType dtype : {DType::i8, DType::u8, DType::i32, DType::u64, DType::boolean, DType::i16})
    bound.arguments.push_back(
        tests::array_argument(std::string(model::name_of(dtype)), ArgumentRole::input, dtype, {500}));
  const auto inputs = make_inputs(tests::known(), bound, {"plain", "normal", {}}, {.seed = 3}).value();
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const std::vector<double> found = load_array(bound.arguments[i], inputs[i]);
    const bool truth = bound.arguments[i].dtype == DType::boolean;
    EXPECT_GE(std::set<double>(found.begin(), found.end()).size(), truth ? 2U : 100U)
        << bound.arguments[i].name;
    EXPECT_LE(std::ranges::max(found), 200);
    EXPECT_GE(std::ranges::min(found), -100);
  }
  const auto wide =
      make_inputs(tests::known(), bound, {"w", "normal", {{"mean", 5}, {"deviation", 0}}}, {.seed = 3});
  EXPECT_EQ(load_array(bound.arguments[2], wide.value()[2]), std::vector<double>(500, 5))
      << "who asks for a mean and a deviation gets them";
}

}  // namespace
}  // namespace evo::evaluators::oracle
