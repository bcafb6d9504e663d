// Patterns of size: numbers as large, as small or as low as their type has room for.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "tests/oracle/pattern_sets.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Patterns, WhereATypeOfEightBitsHasNoNormalNumbers) {
  model::Argument x, y;
  x.name = "x";
  x.dtype = model::DType::f32;
  y.name = "y";
  y.role = model::ArgumentRole::output;
  y.dtype = model::DType::f32;
  const auto has_faint = [&] {
    return std::ranges::any_of(structured_sets({x, y}),
                               [](const model::InputSet& set) { return set.kind == "faint"; });
  };
  EXPECT_FALSE(has_faint());
  y.dtype = model::DType::f8e4m3;
  EXPECT_TRUE(has_faint());
}

TEST(Patterns, SquaresOfSquaresLeaveTheType) {
  for (const model::DType dtype : {model::DType::f32, model::DType::f16}) {
    model::Case bound = tests::vector_add_case(200);
    for (model::BoundArgument& argument : bound.arguments) argument.dtype = dtype;
    const bool half = dtype == model::DType::f16;
    const double power = half ? 2 : 4, end = half ? 65504 : 3.4e38;
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
      double largest = 0;
      for (const double value : values_of(bound, {"vast everywhere", "vast", {}}, input))
        largest = std::max(largest, std::abs(value));
      EXPECT_GT(std::pow(largest, power), end);
      EXPECT_LT(std::pow(largest, power - 1), end / 64);
    }
  }
  const auto asked = [](model::DType input, model::DType output) {
    model::Argument x, y;
    x.name = "x";
    x.dtype = input;
    y.name = "y";
    y.role = model::ArgumentRole::output;
    y.dtype = output;
    return std::ranges::any_of(structured_sets({x, y}),
                               [](const model::InputSet& set) { return set.kind == "vast"; });
  };
  EXPECT_TRUE(asked(model::DType::f32, model::DType::f32));
  EXPECT_TRUE(asked(model::DType::f16, model::DType::f32));
  EXPECT_FALSE(asked(model::DType::f16, model::DType::f16)) << "what it makes of them has no room there";
}

TEST(Patterns, HugeNumbersArePowersOfTwo) {
  for (const char* kind : {"huge", "huge_negative", "vast"}) {
    for (const double value : values_of(tests::vector_add_case(300), {"huge", kind, {}}, 0)) {
      int exponent = 0;
      EXPECT_TRUE(value == 0 || std::abs(std::frexp(value, &exponent)) == 0.5) << "a factor rounds nothing";
      EXPECT_TRUE(value == 0 || exponent > 20) << value;
    }
  }
}

TEST(Patterns, AllInputsSinkTogether) {
  model::Case bound = tests::vector_add_case(40);
  const auto by = [&] {
    const auto sets = structured_sets(arguments_of(bound));
    const auto set = std::ranges::find(sets, "sunken everywhere", &model::InputSet::name);
    if (set == sets.end()) return 0.0;
    EXPECT_LT(values_of(bound, *set, 0)[0], -8);
    EXPECT_LT(values_of(bound, *set, 1)[0], -8);
    return parameter(*set, "by", 0);
  };
  EXPECT_EQ(by(), sunken_together_by);
  bound.arguments[1].dtype = model::DType::f16;
  EXPECT_EQ(by(), halves_sunken_together_by) << "products have to fit";
  bound.arguments.erase(bound.arguments.begin());
  EXPECT_EQ(by(), 0) << "one input alone has its own";
}

TEST(Patterns, ProductsOfOneInputAndAnotherAreNegative) {
  model::Case bound = tests::vector_add_case(40);
  const auto opposed = [&] {
    std::vector<model::InputSet> found;
    std::ranges::copy_if(structured_sets(arguments_of(bound)), std::back_inserter(found), is_opposed);
    return found;
  };
  const auto sets = opposed();
  ASSERT_EQ(sets.size(), 2U) << "of each apart";
  for (const std::size_t one : {0U, 1U}) {
    for (const double value : values_of(bound, sets[one], one)) EXPECT_LT(value, -1);
    for (const double value : values_of(bound, sets[one], 1 - one)) EXPECT_GT(value, 1);
  }
  bound.arguments[1].dtype = model::DType::f16;
  for (const model::InputSet& set : opposed())
    EXPECT_EQ(parameter(set, "by", 0), halves_opposed_by) << "products have to fit";
  bound.arguments.erase(bound.arguments.begin());
  EXPECT_TRUE(opposed().empty());
  EXPECT_FALSE(is_opposed({"sunken of a", "sunken", {}}));
}

TEST(Patterns, SunkenNumbersAreFarBelowZeroAndFartherWhereNothingIsMultipliedWithThem) {
  model::Case bound = tests::vector_add_case(100);
  for (const double value : values_of(bound, {"sunken of a", "sunken", {}}, 0)) {
    EXPECT_LT(value, -240);
    EXPECT_GT(value, -270);
  }
  std::vector<model::Argument> alone = arguments_of(bound);
  alone.erase(alone.begin());
  for (const model::InputSet& set : structured_sets(alone)) {
    if (set.kind != "sunken") continue;
    EXPECT_EQ(set.parameters.at("by"), 2048);
  }
}

TEST(Patterns, TheLeastAndTheLargestAreBeyondWhatAnybodyWrites) {
  model::Case bound = tests::vector_add_case(400);
  for (const auto& [dtype, written] :
       {std::pair(model::DType::f32, 3.4e38), std::pair(model::DType::f16, 65471.0),
        std::pair(model::DType::bf16, 3.38e38), std::pair(model::DType::f64, 1.79e308)}) {
    for (model::BoundArgument& argument : bound.arguments) {
      if (argument.role != model::ArgumentRole::scalar) argument.dtype = dtype;
    }
    for (const double value : values_of(bound, {"lowest everywhere", "lowest", {}}, 0)) {
      EXPECT_LT(value, -written);
      EXPECT_TRUE(std::isfinite(value));
    }
    for (const double value : values_of(bound, {"highest everywhere", "highest", {}}, 0)) {
      EXPECT_GT(value, written);
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(Patterns, WhatIsAmongTheInputsWasSelected) {
  const model::Case bound = tests::vector_add_case(4);
  const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3});
  ASSERT_TRUE(inputs);
  const auto a = load_array(bound.arguments[0], (*inputs)[0]),
             b = load_array(bound.arguments[1], (*inputs)[1]);
  Reference reference;
  reference.outputs.resize(bound.arguments.size());
  reference.outputs[2] = {a[0], b[1], a[1], b[3]};
  EXPECT_TRUE(selects_inputs(bound, *inputs, reference));
  reference.outputs[2][3] = b[3] * 2;
  EXPECT_FALSE(selects_inputs(bound, *inputs, reference));
}

// What else is made of such numbers leaves the range of the type in one correct kernel or another.
TEST(Patterns, TheLeastIsAskedOnlyOfWhatSelects) {
  model::Case bound;
  bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {40}),
                     tests::array_argument("y", model::ArgumentRole::output, model::DType::f32, {40})};
  const auto asked = [&](const char* formula) {
    Catalogue known;
    known.add("problem",
              std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
    ReferenceCache cache(known);
    return cache.get("problem", bound, {"l", "lowest", {{"undeclared", 1}}}, {.seed = 3})->in_domain;
  };
  EXPECT_TRUE(asked("y[i] = max(x[i], x[0])"));
  EXPECT_FALSE(asked("y[i] = x[i] / 2"));
}

}  // namespace
}  // namespace evo::evaluators::oracle
