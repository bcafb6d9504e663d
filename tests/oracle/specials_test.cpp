// NaN and infinity among the inputs: where they stand, and where they are asked.
#include "evaluators/oracle/specials.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

model::Case matrix_case() {
  model::Case bound;
  bound.name = "m";
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {8, 40}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {8, 40})};
  return bound;
}

std::vector<double> inputs_of(const model::Case& bound, const model::InputSet& set) {
  const auto inputs = make_inputs(evo::tests::known(), bound, set, {.seed = 5});
  return load_array(bound.arguments[0], inputs.value()[0]);
}

TEST(Specials, StandInWholeRowsInSomeElementsAndInNone) {
  for (const std::string_view kind : {nans_kind, infinities_kind, negative_infinities_kind}) {
    const auto values = inputs_of(matrix_case(), {"s", std::string(kind), {{"argument", 0}}});
    int all = 0, some = 0, one = 0, none = 0;
    for (std::size_t row = 0; row < 8; ++row) {
      int special = 0;
      for (std::size_t c = 0; c < 40; ++c) {
        const double value = values[row * 40 + c];
        if (std::isfinite(value)) continue;
        ++special;
        EXPECT_EQ(std::isnan(value), kind == nans_kind);
        if (kind != nans_kind) {
          EXPECT_EQ(value < 0, kind == negative_infinities_kind);
        }
      }
      (special == 40 ? all : special == 0 ? none : special == 1 ? one : some)++;
    }
    EXPECT_EQ(all, 2);
    EXPECT_EQ(one, 2);
    EXPECT_EQ(some, 2);
    EXPECT_EQ(none, 2);
  }
}

TEST(Specials, NaNsHaveEitherSignAndOtherBits) {
  const auto inputs = make_inputs(evo::tests::known(), matrix_case(),
                                  {"s", std::string(nans_kind), {{"argument", 0}}}, {.seed = 5});
  std::set<std::uint32_t> seen;
  for (std::size_t e = 0; e < 320; ++e) {
    float value = 0;
    std::memcpy(&value, inputs.value()[0].data() + 4 * e, 4);
    if (std::isnan(value)) seen.insert(std::bit_cast<std::uint32_t>(value));
  }
  EXPECT_TRUE(std::ranges::any_of(seen, [](std::uint32_t bits) { return bits >> 31 == 1; }));
  EXPECT_TRUE(std::ranges::any_of(seen, [](std::uint32_t bits) { return bits >> 31 == 0; }));
  EXPECT_GT(seen.size(), 2U);
}

TEST(Specials, ThoseAloneAreInLanesFarApart) {
  model::Case bound = matrix_case();
  for (model::BoundArgument& argument : bound.arguments) {
    argument.shape = {24, 70};
    argument.strides = {70, 1};
  }
  const auto values = inputs_of(bound, {"s", std::string(nans_kind), {{"argument", 0}}});
  std::set<std::size_t> lanes;
  for (std::size_t row = 0; row < 24; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * 70);
    const auto is_nan = [](double value) { return std::isnan(value); };
    if (std::count_if(begin, begin + 70, is_nan) != 1) continue;
    lanes.insert(static_cast<std::size_t>(std::find_if(begin, begin + 70, is_nan) - begin) % 32);
  }
  ASSERT_EQ(lanes.size(), 6U);
  std::size_t before = *lanes.rbegin();
  for (const std::size_t lane : lanes) {
    EXPECT_LT((lane + 32 - before) % 32, 8U) << "who leaves out a quarter of the lanes misses one";
    before = lane;
  }
}

TEST(Specials, ALoneNaNHasAnInfinityInItsLane) {
  model::Case bound = matrix_case();
  for (model::BoundArgument& argument : bound.arguments) {
    argument.shape = {24, 200};
    argument.strides = {200, 1};
  }
  const auto values = inputs_of(bound, {"s", std::string(mixed_kind), {{"argument", 0}}});
  int alone = 0, behind = 0, above = 0, below = 0;
  for (std::size_t row = 0; row < 24; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * 200);
    const auto is_nan = [](double value) { return std::isnan(value); };
    if (std::count_if(begin, begin + 200, is_nan) != 1) continue;
    const auto at = std::find_if(begin, begin + 200, is_nan) - begin;
    ++alone;
    if (at < 32) continue;
    behind += std::isinf(begin[at - 32]) ? 1 : 0;
    (begin[at - 32] > 0 ? above : below)++;
  }
  EXPECT_EQ(alone, 12);
  EXPECT_EQ(behind, above + below) << "each that has a place in front of it in its lane";
  EXPECT_GE(behind, 9);
  EXPECT_GE(above, 3);
  EXPECT_GE(below, 3);
}

TEST(Specials, InfinitiesStandBesideTheLastNumberInFrontOfThem) {
  for (const std::string_view kind : {ends_below_kind, ends_above_kind}) {
    const model::InputSet set{"s", std::string(kind), {{"argument", 0}}};
    const double sign = kind == ends_below_kind ? -1 : 1;
    const auto values = inputs_of(matrix_case(), set);
    int all = 0, one = 0, none = 0;
    for (std::size_t row = 0; row < 8; ++row) {
      int finite = 0;
      for (std::size_t c = 0; c < 40; ++c) {
        const double value = values[row * 40 + c] * sign;
        EXPECT_TRUE(value == std::numeric_limits<float>::max() || std::isinf(value));
        EXPECT_GT(value, 0);
        finite += std::isfinite(value) ? 1 : 0;
      }
      all += finite == 40 ? 1 : 0;
      none += finite == 0 ? 1 : 0;
      if (finite != 1) continue;
      ++one;
      EXPECT_TRUE(std::isinf(values[row * 40])) << "not where a kernel begins";
    }
    EXPECT_EQ(all, 2);
    EXPECT_GE(one, 2);
    EXPECT_EQ(none, 2);
    EXPECT_TRUE(is_of_infinite_ends(set) && is_at_an_end(set) && holds_infinities(set) && !holds_nans(set));
  }
}

TEST(Specials, ANaNStandsBesideInfinities) {
  const auto values = inputs_of(matrix_case(), {"s", std::string(mixed_kind), {{"argument", 0}}});
  int before = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    bool infinite = false;
    for (std::size_t c = 0; c < 40; ++c) {
      const double value = values[row * 40 + c];
      if (infinite && std::isnan(value)) {
        ++before;
        break;
      }
      infinite = infinite || std::isinf(value);
    }
  }
  EXPECT_GE(before, 1);
}

TEST(Specials, StandOverWhatAFillSays) {
  model::Case bound = matrix_case();
  bound.arguments[0].fill = model::BoundFill{model::FillForm::uniform, 1, 2, 0, {}, {}};
  const auto values = inputs_of(bound, {"s", std::string(nans_kind), {{"argument", 0}}});
  EXPECT_TRUE(std::ranges::any_of(values, [](double value) { return std::isnan(value); }));
  EXPECT_TRUE(std::ranges::any_of(values, [](double value) { return value >= 1 && value <= 2; }));
}

TEST(Specials, AreSetsOfTheArgumentsThatHaveSome) {
  std::vector<model::Argument> arguments(3);
  arguments[0].name = "a";
  arguments[1].name = "b";
  arguments[1].special = model::SpecialValues{true, false, false};
  arguments[2].name = "c";
  arguments[2].special = model::SpecialValues{false, true, true};
  const auto sets = special_sets(arguments);
  ASSERT_EQ(sets.size(), 5U);
  EXPECT_EQ(sets[3].kind, ends_below_kind);
  EXPECT_EQ(sets[4].kind, ends_above_kind);
  EXPECT_EQ(sets[0].kind, nans_kind);
  EXPECT_EQ(parameter(sets[0], "argument", -1), 1);
  EXPECT_FALSE(sets[0].parameters.contains(std::string(inferred_parameter)));
  EXPECT_EQ(sets[1].kind, infinities_kind);
  EXPECT_EQ(sets[2].kind, negative_infinities_kind);
  EXPECT_TRUE(sets[2].parameters.contains(std::string(inferred_parameter)));
  arguments[0].special = model::SpecialValues{true, true, false};
  EXPECT_EQ(special_sets(arguments)[3].kind, mixed_kind);
  EXPECT_TRUE(holds_nans(special_sets(arguments)[3]) && holds_infinities(special_sets(arguments)[3]));
  EXPECT_TRUE(holds_nans(sets[0]) && !holds_infinities(sets[0]));
  EXPECT_TRUE(holds_infinities(sets[2]) && !holds_nans(sets[2]));
}

/// Is a set asked that nobody, or (`inferred` false) the problem asked for?
bool asked(const char* formula, std::string_view kind, bool inferred) {
  Catalogue known;
  known.add("problem",
            std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
  ReferenceCache cache(known);
  model::InputSet set{"s", std::string(kind), {{"argument", 0}, {"undeclared", 1}}};
  if (inferred) set.parameters[std::string(inferred_parameter)] = 1;
  const auto reference = cache.get("problem", matrix_case(), set, {.seed = 3}, true, 1e-7);
  return reference->in_domain && reference->rules.special_values;
}

TEST(Specials, UnaskedCountWhereTheAnswerIsNoNaN) {
  constexpr const char* twice = "y[i, j] = 2 * x[i, j]";
  EXPECT_TRUE(asked(twice, nans_kind, false)) << "whoever asks for them has them";
  EXPECT_FALSE(asked(twice, nans_kind, true));
  EXPECT_TRUE(asked(twice, infinities_kind, true));
  EXPECT_FALSE(asked("y[i, j] = x[i, j] - x[i, j]", infinities_kind, true));
  EXPECT_TRUE(asked("y[i, j] = 1 / x[i, j]", negative_infinities_kind, true)) << "a number";
}

TEST(Specials, TheLastNumberInFrontOfInfinityIsNotMovedAcross) {
  Catalogue known;
  known.add("problem", std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{
                           {"y[i, j] = where(x[i, j] > -inf, 1, 0)", "p", 1, 1}}));
  ReferenceCache cache(known);
  model::Case bound = matrix_case();
  bound.arguments[1].dtype = DType::i32;
  const model::InputSet set{"s", std::string(ends_below_kind), {{"argument", 0}, {"undeclared", 1}}};
  const auto reference = cache.get("problem", bound, set, {.seed = 3}, true, 1e-6);
  ASSERT_TRUE(reference->in_domain);
  EXPECT_TRUE(reference->conditioning.empty() || reference->conditioning[1].largest == 0);
}

/// Of a set of finite numbers, which the problem declares or (`undeclared`) nobody does.
std::shared_ptr<const ReferenceData> of_finite_numbers(const char* formula, bool undeclared = false) {
  Catalogue known;
  known.add("problem",
            std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
  ReferenceCache cache(known);
  model::InputSet set{"s", "normal", {}};
  if (undeclared) set.parameters[std::string(undeclared_parameter)] = 1;
  return cache.get("problem", matrix_case(), set, {.seed = 3}, true, 1e-7);
}

TEST(Specials, AnInfiniteAnswerOfTheProblemsOwnNumbersHasToBeOne) {
  constexpr const char* infinite = "y[i, j] = log(x[i, j] * 0 + 0 * x[i, j])";
  const auto reference = of_finite_numbers(infinite);
  ASSERT_TRUE(reference->rules.special_values);
  const model::Case bound = matrix_case();
  const CompareOptions options = options_for({"auto", 1, 1}, *reference, 1);
  const auto verdict = [&](float value) {
    std::vector<float> y(320, -std::numeric_limits<float>::infinity());
    y[17] = value;
    return compare(bound.arguments[1], std::as_bytes(std::span(y)), reference->outputs[1], options);
  };
  EXPECT_TRUE(verdict(-std::numeric_limits<float>::infinity()).pass);
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::lowest(),
                            std::numeric_limits<float>::quiet_NaN(), 0.0F})
    EXPECT_FALSE(verdict(wrong).pass) << wrong;
  // Answers that are NaN stay as they were.
  EXPECT_FALSE(of_finite_numbers("y[i, j] = log(x[i, j] * 0) - log(0 * x[i, j])")->rules.special_values);
  EXPECT_FALSE(of_finite_numbers("y[i, j] = log(min(0, x[i, j]))")->rules.special_values) << "some are NaN";
  EXPECT_FALSE(of_finite_numbers("y[i, j] = exp(3000 * x[i, j] * x[i, j])")->rules.special_values)
      << "what overflows is no pole";
  EXPECT_FALSE(of_finite_numbers("y[i, j] = 2 * x[i, j]")->rules.special_values);
}

// Kernels overflow where they do; at a pole all of them have the same.
TEST(Specials, OfNumbersThatNobodyDeclaredPolesAreAskedForAndOverflowIsNot) {
  const auto pole = of_finite_numbers("y[i, j] = log(x[i, j] * 0 + 0 * x[i, j])", true);
  EXPECT_TRUE(pole->in_domain && pole->rules.special_values);
  EXPECT_FALSE(of_finite_numbers("y[i, j] = exp(3000 * x[i, j] * x[i, j])", true)->in_domain);
  EXPECT_FALSE(
      of_finite_numbers("y[i, j] = max(exp(3000 * x[i, j] * x[i, j]), 0 - log(max(0, x[i, j])))", true)
          ->in_domain)
      << "some of each";
  EXPECT_TRUE(of_finite_numbers("y[i, j] = 0 - log(max(0, x[i, j]))", true)->in_domain) << "poles alone";
  EXPECT_FALSE(of_finite_numbers("y[i, j] = x[i, j] * 0 / (0 * x[i, j])", true)->rules.special_values);
}

}  // namespace
}  // namespace evo::evaluators::oracle
