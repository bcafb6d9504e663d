#include "evaluators/oracle/relations.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

std::vector<std::vector<double>> three_of(DType dtype, std::int64_t elements = 8000, std::uint64_t seed = 3) {
  model::Case bound;
  bound.name = "case";
  for (const char* name : {"a", "b", "c"})
    bound.arguments.push_back(tests::array_argument(name, ArgumentRole::input, dtype, {elements}));
  const model::InputSet set{"related everywhere", std::string(related_kind), {}};
  const auto inputs = make_inputs(tests::known(), bound, set, {.seed = seed}).value();
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < 3; ++i) values.push_back(load_array(bound.arguments[i], inputs[i]));
  return values;
}

template <class Holds>
int count(const std::vector<double>& values, Holds holds) {
  int found = 0;
  for (std::size_t e = 32; e < values.size(); ++e) found += holds(e) ? 1 : 0;
  return found;
}

void expect_relations(DType dtype) {
  const auto values = three_of(dtype);
  const auto &a = values[0], &b = values[1], &c = values[2];
  const int same = count(a, [&](auto e) { return a[e] == b[e] && a[e] != 0; });
  EXPECT_GT(same, 200);
  EXPECT_GT(count(a, [&](auto e) { return b[e] == a[e - 1] && b[e] != a[e]; }), 10);
  EXPECT_GT(count(a, [&](auto e) { return b[e] == -a[e] && a[e] != 0; }), 200);
  EXPECT_GT(count(a, [&](auto e) { return b[e] == 2 * a[e] && a[e] != 0; }), 200);
  EXPECT_GT(count(a, [&](auto e) { return static_cast<float>(a[e] + b[e]) == 1; }), 10);
  EXPECT_GT(count(a, [&](auto e) { return std::abs(a[e] + b[e] - c[e]) < 1e-6 && a[e] != 0; }), 200);
  EXPECT_GT(count(a, [&](auto e) { return std::abs(a[e] - b[e]) < 1e-5 && a[e] != b[e]; }),
            model::is_floating(dtype) ? 100 : -1);
  const auto nearer = [&](auto e) { return std::abs(a[e] - b[e]) < 8e-7 * std::abs(a[e]) && a[e] != b[e]; };
  EXPECT_GT(count(a, nearer), model::is_floating(dtype) ? 30 : -1) << "than an epsilon of 1e-6";
  EXPECT_GT(count(a, [&](auto e) { return std::abs(a[e] - b[e]) > 1 && b[e] != 2 * a[e]; }), 1000)
      << "the rest stays";
}

TEST(Relations, OfFloatingPointNumbers) {
  expect_relations(DType::f32);
}
TEST(Relations, OfIntegers) {
  expect_relations(DType::i32);
}

std::size_t longest_of_ones(const std::vector<std::vector<double>>& values, double all_ones) {
  std::size_t length = 0, longest = 0;
  for (std::size_t e = 0; e < values[0].size(); ++e) {
    length = values[0][e] + values[1][e] == all_ones ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

/// Sums that are all ones, longer than a tile: a carry goes through all of them.
TEST(Relations, StretchesOfComplements) {
  for (const DType dtype : {DType::i32, DType::u32}) {
    const auto values = three_of(dtype, 40000);
    const double all_ones = dtype == DType::i32 ? -1 : 4294967295.0;
    const std::size_t longest = longest_of_ones(values, all_ones);
    EXPECT_GT(longest, 2047U) << "all of a tile of 1024, wherever it begins";
    EXPECT_LT(longest, 4000U) << "the rest stays";
  }
}

/// Of arrays that are too short for a carry through most of them.
TEST(Relations, ComplementsBesideOtherRelations) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto values = three_of(DType::i32, 4000, seed);
    EXPECT_GT(count(values[0], [&](auto e) { return values[0][e] + values[1][e] == -1; }), 20) << seed;
    longest = std::max(longest, longest_of_ones(values, -1));
  }
  EXPECT_GT(longest, 150U) << "some are longer than a warp and its neighbours";
}

TEST(Relations, StayWithinARange) {
  model::Case bound;
  bound.name = "case";
  for (const char* name : {"a", "b"})
    bound.arguments.push_back(tests::array_argument(name, ArgumentRole::input, DType::i32, {3000}));
  for (auto& argument : bound.arguments) argument.fill = {model::FillForm::integers, 3, 9};
  const auto inputs =
      make_inputs(tests::known(), bound, {"r", std::string(related_kind), {}}, {.seed = 3}).value();
  for (const double value : load_array(bound.arguments[1], inputs[1])) {
    EXPECT_GE(value, 3);
    EXPECT_LE(value, 9);
  }
}

TEST(Relations, AreOfInputsOfOneShape) {
  std::vector<model::Argument> arguments(2);
  for (model::Argument& argument : arguments) {
    argument.role = ArgumentRole::input;
    argument.dtype = DType::f32;
    argument.shape = {model::Expression::parse("n").value()};
  }
  const auto shown = [&] {
    const auto sets = structured_sets(arguments);
    return std::ranges::find(sets, related_kind, &model::InputSet::kind) != sets.end();
  };
  EXPECT_TRUE(shown());
  arguments[1].shape = {model::Expression::parse("m").value()};
  EXPECT_FALSE(shown());
  arguments[1].shape = arguments[0].shape;
  arguments[1].dtype = DType::i32;
  EXPECT_FALSE(shown());
  arguments[0].dtype = DType::u8;
  EXPECT_TRUE(shown());
}

}  // namespace
}  // namespace evo::evaluators::oracle
