// Inputs at the very numbers that a kernel compares them with.
#include "evaluators/oracle/compared_values.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

std::vector<model::Argument> described(const model::Case& bound) {
  std::vector<model::Argument> arguments(bound.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].name = bound.arguments[i].name;
    arguments[i].role = bound.arguments[i].role;
    arguments[i].dtype = bound.arguments[i].dtype;
  }
  return arguments;
}

TEST(ComparedValues, StandInEveryInputAndAreNotMoved) {
  model::Case bound = tests::vector_add_case(3000);
  model::BoundArgument threshold;
  threshold.name = "t";
  threshold.role = model::ArgumentRole::scalar;
  threshold.dtype = model::DType::f32;
  threshold.scalar_float = 0.7;
  bound.arguments.push_back(threshold);
  const std::size_t scalar = bound.arguments.size() - 1;
  const auto set = set_of_compared(described(bound), {{scalar}, {scalar}, {-2.5, 0x1p30}});
  ASSERT_TRUE(set);
  const double stored = 0.7F;
  const std::vector<double> held = compared_values(bound, *set);
  for (const double wanted : {-2.5, -stored, stored}) EXPECT_TRUE(std::ranges::binary_search(held, wanted));
  EXPECT_TRUE(std::ranges::is_sorted(held));
  const auto inputs = make_inputs(evo::tests::known(), bound, *set, {.seed = 1});
  ASSERT_TRUE(inputs);
  const InputBuffers moved = moved_inputs(bound, *inputs, 1e-3, 1, 1, held);
  for (const std::size_t argument : {std::size_t{0}, std::size_t{1}}) {
    const std::vector<double> before = load_array(bound.arguments[argument], (*inputs)[argument]);
    const std::vector<double> after = load_array(bound.arguments[argument], moved[argument]);
    for (const double wanted : {stored, -stored, -2.5}) {
      EXPECT_GT(std::ranges::count(before, wanted), 150) << wanted;
      EXPECT_EQ(std::ranges::count(before, wanted), std::ranges::count(after, wanted)) << wanted;
    }
    std::size_t others = 0;
    for (std::size_t e = 0; e < before.size(); ++e) others += before[e] != after[e];
    EXPECT_GT(others, 700U);
  }
}

TEST(ComparedValues, TheirNeighboursStandThereAndAreNotMoved) {
  const model::Case bound = tests::vector_add_case(3000);
  const auto set = set_of_compared(described(bound), {{}, {}, {1.5}});
  const auto inputs = make_inputs(evo::tests::known(), bound, *set, {.seed = 1});
  ASSERT_TRUE(inputs);
  const InputBuffers moved = moved_inputs(bound, *inputs, 1e-3, 1, 1, compared_values(bound, *set));
  const std::vector<double> before = load_array(bound.arguments[0], (*inputs)[0]);
  const std::vector<double> after = load_array(bound.arguments[0], moved[0]);
  for (const double units : {1.0, -1.0, 14.0, -400.0}) {
    const double wanted = 1.5 * (1 + units * 0x1p-23);
    const double stored = static_cast<double>(static_cast<float>(wanted));
    EXPECT_GT(std::ranges::count(before, stored), 10) << units;
    EXPECT_EQ(std::ranges::count(before, stored), std::ranges::count(after, stored)) << units;
  }
}

TEST(ComparedValues, SomeRoundingsOffTheNumberIsNotThere) {
  const model::Case bound = tests::vector_add_case(3000);
  const auto set = set_of_compared(described(bound), {{}, {}, {1.5}, off_by_roundings});
  const auto inputs = make_inputs(evo::tests::known(), bound, *set, {.seed = 1});
  ASSERT_TRUE(inputs);
  std::size_t close = 0;
  for (const double value : load_array(bound.arguments[0], (*inputs)[0])) {
    const double units = std::abs(value - 1.5) / 1.5 * 0x1p23;
    EXPECT_GT(units, 10) << "a kernel may round so much on its way";
    close += units < 20 ? 1 : 0;
  }
  EXPECT_GT(close, 50U);
}

TEST(ComparedValues, NoneWithoutAScalarOrANumber) {
  const model::Case bound = tests::vector_add_case(8);
  EXPECT_FALSE(set_of_compared(described(bound), {}));
  EXPECT_FALSE(set_of_compared(described(bound), {{0}, {}, {}})) << "an array";
  EXPECT_TRUE(compared_values(bound, {"normal", "normal", {}}).empty());
  std::vector<model::Argument> with_workspace = described(bound);
  EXPECT_TRUE(set_of_compared(with_workspace, {{}, {}, {2}}));
  with_workspace.emplace_back().role = model::ArgumentRole::workspace;
  EXPECT_FALSE(set_of_compared(with_workspace, {{}, {}, {2}})) << "it may hold what was computed";
  EXPECT_FALSE(set_of_compared(described(bound), {{}, {}, {3.4e38}})) << "it stands for infinity";
}

TEST(ComparedValues, KeepToAFill) {
  model::Case bound = tests::vector_add_case(3000);
  bound.arguments[0].fill = model::BoundFill{model::FillForm::uniform, 0, 1};
  const auto set = set_of_compared(described(bound), {{}, {}, {0.5, 2.5}});
  const auto inputs = make_inputs(evo::tests::known(), bound, *set, {.seed = 1});
  const std::vector<double> values = load_array(bound.arguments[0], (*inputs)[0]);
  EXPECT_GT(std::ranges::count(values, 0.5), 500);
  EXPECT_TRUE(std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; }));
}

TEST(ComparedValues, AColumnCopiesWhatWasPutThere) {
  model::Case bound = tests::vector_add_case(3000);
  bound.arguments[0].shape = {3000, 1};
  bound.arguments[0].strides = {1, 1};
  bound.arguments[1].fill = model::BoundFill{.form = model::FillForm::column, .argument = 0};
  const auto set = set_of_compared(described(bound), {{}, {}, {2.5}});
  const auto inputs = make_inputs(evo::tests::known(), bound, *set, {.seed = 1});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(load_array(bound.arguments[0], (*inputs)[0]), load_array(bound.arguments[1], (*inputs)[1]));
}

}  // namespace
}  // namespace evo::evaluators::oracle
