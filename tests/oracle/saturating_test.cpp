#include "evaluators/oracle/saturating.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
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

TEST(Saturating, AScaleIsOnItsWay) {
  const std::set<double> sizes = magnitudes_of(sets_for(DType::f8e4m3).at(0), 0.125);
  EXPECT_TRUE(sizes.contains(448 * 8.0)) << "times the scale it is at the limit";
  EXPECT_TRUE(sizes.contains(448 / 8.0)) << "over the scale it is at the limit";
}

}  // namespace
}  // namespace evo::evaluators::oracle
