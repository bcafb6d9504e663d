#include "evaluators/oracle/saturating.hpp"

#include <cmath>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

std::vector<model::InputSet> sets_for(DType output) {
  std::vector<model::Argument> arguments(3);
  arguments[0].name = "x";
  arguments[0].role = ArgumentRole::input;
  arguments[0].dtype = DType::f32;
  arguments[1].name = "scale";
  arguments[1].role = ArgumentRole::scalar;
  arguments[1].dtype = DType::f32;
  arguments[2].name = "y";
  arguments[2].role = ArgumentRole::output;
  arguments[2].dtype = output;
  std::vector<model::InputSet> sets = structured_sets(arguments);
  std::erase_if(sets, [](const model::InputSet& set) { return set.kind != saturating_kind; });
  return sets;
}

std::set<double> magnitudes_of(const model::InputSet& set, double scale) {
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {3000}),
                     {"scale", ArgumentRole::scalar, DType::f32, {}, {}},
                     tests::array_argument("y", ArgumentRole::output, DType::f8e4m3, {3000})};
  bound.arguments[1].scalar_float = scale;
  const auto inputs = make_inputs(evo::tests::known(), bound, set, {.seed = 5}).value();
  std::set<double> sizes;
  for (const double value : load_array(bound.arguments[0], inputs[0])) sizes.insert(std::abs(value));
  return sizes;
}

TEST(Saturating, OnlyOutputsOfEightBitsSaturate) {
  EXPECT_EQ(sets_for(DType::f32).size(), 0U);
  EXPECT_EQ(sets_for(DType::u8).size(), 0U) << "its bytes are integers, which are compared one by one";
  ASSERT_EQ(sets_for(DType::f8e4m3).size(), 1U);
  EXPECT_EQ(sets_for(DType::f8e4m3)[0].parameters.at("tie"), 464);
  ASSERT_EQ(sets_for(DType::f8e5m2).size(), 1U);
  EXPECT_EQ(sets_for(DType::f8e5m2)[0].parameters.at("tie"), 61440);
}

TEST(Saturating, NumbersAreAtTheLimitNextToItAndFarAbove) {
  const std::set<double> sizes = magnitudes_of(sets_for(DType::f8e4m3).at(0), 1);
  for (const double at : {448.0, 464.0}) {
    EXPECT_TRUE(sizes.contains(at));
    EXPECT_TRUE(sizes.contains(at + 0x1p-15)) << "the next number";
  }
  EXPECT_GT(*sizes.rbegin(), 448 * 256);
  EXPECT_LT(*sizes.begin(), 448 / 16);
  const auto between = [&](double low, double high) {
    return std::distance(sizes.upper_bound(low), sizes.lower_bound(high));
  };
  EXPECT_GT(between(448, 464), 50);
  EXPECT_GT(between(464, 480), 50) << "what wraps to a NaN there";
}

model::Case product_case(DType dtype) {
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, dtype, {3000}),
                     tests::array_argument("b", ArgumentRole::input, dtype, {3000}),
                     tests::array_argument("y", ArgumentRole::output, dtype, {3000})};
  return bound;
}

std::vector<model::InputSet> brims_for(DType dtype) {
  std::vector<model::Argument> arguments;
  for (const model::BoundArgument& bound : product_case(dtype).arguments) {
    arguments.emplace_back();
    arguments.back().name = bound.name;
    arguments.back().role = bound.role;
    arguments.back().dtype = bound.dtype;
  }
  std::vector<model::InputSet> sets = structured_sets(arguments);
  std::erase_if(sets, [](const model::InputSet& set) { return set.kind != brimming_kind; });
  return sets;
}

TEST(Saturating, HalvesFillTheirTypeToTheBrim) {
  EXPECT_EQ(brims_for(DType::f32).size(), 0U);
  ASSERT_EQ(brims_for(DType::f16).size(), 2U);
  const model::Case bound = product_case(DType::f16);
  const auto inputs = make_inputs(evo::tests::known(), bound, brims_for(DType::f16)[0], {.seed = 5}).value();
  int full = 0, beyond = 0;
  std::size_t last = 0;
  const auto values = load_array(bound.arguments[0], inputs[0]);
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (std::abs(values[e]) <= 1) continue;
    EXPECT_GE(std::abs(values[e]), 32000);
    EXPECT_LE(std::abs(values[e]) * 1.003, 65504) << "moved a little, it still fits";
    EXPECT_TRUE(full == 0 || e - last > 32) << "a sum of neighbours fits";
    last = e;
    ++full;
    beyond += std::abs(values[e]) > 60000;
  }
  EXPECT_EQ(full, 49);
  EXPECT_GT(beyond, 15);
  for (const double value : load_array(bound.arguments[1], inputs[1])) EXPECT_LE(std::abs(value), 1);
}

/// Are such numbers asked, where the answer is this?
bool asks_brims(const char* formula) {
  Catalogue known;
  known.add("problem",
            std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
  ReferenceCache cache(known);
  return cache.get("problem", product_case(DType::f16), brims_for(DType::f16)[0], {.seed = 3}, true, 1e-3)
      ->in_domain;
}

TEST(Saturating, ABrimIsAskedWhereAnAnswerIsNearIt) {
  EXPECT_TRUE(asks_brims("y[i] = max(x[i] * b[i], 0)"));
  EXPECT_FALSE(asks_brims("y[i] = x[i] / 100 + b[i]")) << "no answer is near it";
  EXPECT_FALSE(asks_brims("y[i] = 4 * x[i] + b[i]")) << "beyond it";
}

TEST(Saturating, AScaleIsOnItsWay) {
  const std::set<double> sizes = magnitudes_of(sets_for(DType::f8e4m3).at(0), 0.125);
  EXPECT_TRUE(sizes.contains(448 * 8.0)) << "times the scale it is at the limit";
  EXPECT_TRUE(sizes.contains(448 / 8.0)) << "over the scale it is at the limit";
}

}  // namespace
}  // namespace evo::evaluators::oracle
