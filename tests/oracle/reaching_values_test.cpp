// Inputs of which sums and products are equal to what the code compares with.
#include "evaluators/oracle/reaching_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle::reaching_cases {
namespace {

using Numbers = std::vector<double>;

model::Case two_rows(std::int64_t rows, std::int64_t columns, double scalar) {
  model::Case bound;
  bound.name = "reach";
  for (const char* name : {"a", "b"})
    bound.arguments.push_back(
        tests::array_argument(name, model::ArgumentRole::input, model::DType::f32, {rows, columns}));
  bound.arguments.push_back(tests::scalar_argument("s", model::DType::f32, scalar));
  return bound;
}

std::vector<model::Argument> described(const model::Case& bound) {
  std::vector<model::Argument> arguments(bound.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].name = bound.arguments[i].name;
    arguments[i].role = bound.arguments[i].role;
    arguments[i].dtype = bound.arguments[i].dtype;
  }
  return arguments;
}

/// The share of pairs for which `holds`.
double share(const ReachedValues& reached, double scalar, const std::function<bool(double, double)>& holds) {
  const model::Case bound = two_rows(100, 64, scalar);
  const auto set = set_of_reaching(described(bound), reached);
  const auto inputs = make_inputs(tests::known(), bound, set.value(), {.seed = 1}).value();
  const Numbers a = load_array(bound.arguments[0], inputs[0]), b = load_array(bound.arguments[1], inputs[1]);
  std::size_t found = 0;
  for (std::size_t e = 0; e < a.size(); ++e) found += holds(a[e], b[e]) ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(a.size());
}

TEST(ReachingValues, ProductsAndSumsOfTwo) {
  for (const double threshold : {0.75, 3.0, 0.625}) {
    EXPECT_GT(share({{threshold}, {}}, 1, [&](double a, double b) { return a * b == threshold; }), 0.01);
    EXPECT_GT(share({{threshold}, {}}, 1, [&](double a, double b) { return a + b == threshold; }), 0.01);
  }
  EXPECT_LT(share({{0.75}, {}}, 1, [](double a, double b) { return a * b == 0.625; }), 0.005);
}

TEST(ReachingValues, ThresholdsThatCannotBeReachedTakeNobodysPlace) {
  const std::set<double> decoys{512, 1024, 2048, 4096, 8192, 16384, 0.7};
  std::set<double> all = decoys;
  all.insert(3);
  EXPECT_GT(share({all, {}}, 1, [](double a, double b) { return a + b == 3; }), 0.01);
  EXPECT_FALSE(set_of_reaching(described(two_rows(4, 4, 1)), {decoys, {}}));
}

TEST(ReachingValues, WhatAFactorMakes) {
  EXPECT_GT(share({{3}, {0.125}}, 1, [](double a, double) { return a * 0.125 == 3; }), 0.004);
  EXPECT_GT(share({{}, {}, true}, 0.25, [](double a, double) { return a * 0.25 == 1.5; }), 0.002)
      << "half of an integer, of a scalar";
  EXPECT_LT(share({{3}, {0.375}}, 1, [](double a, double) { return a * 0.375 == 3; }), 0.001)
      << "who divides by the reciprocal rounds";
}

TEST(ReachingValues, SumsInAnyOrderAreExact) {
  const double odd = 0.7F;
  EXPECT_LT(share({{odd, 0.75}, {}}, 1, [&](double a, double) { return a == odd || a == 2 * odd; }), 0.0001);
  EXPECT_GT(share({{odd, 0.75}, {}}, 1, [](double a, double) { return a == 0.75; }), 0.05);
  EXPECT_LT(share({{0.75}, {}}, 1, [](double a, double) { return a != std::floor(a * 256) / 256; }), 0.0001);
}

TEST(ReachingValues, AreNotAllZeros) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const model::Case bound = two_rows(1, 9, 1);
    const auto set = set_of_reaching(described(bound), {{3}, {}});
    const auto inputs = make_inputs(tests::known(), bound, set.value(), {.seed = seed}).value();
    const Numbers a = load_array(bound.arguments[0], inputs[0]);
    EXPECT_TRUE(std::ranges::any_of(a, [](double value) { return value != 0; })) << seed;
  }
}

TEST(ReachingValues, StretchesOfFewTermsAreMostlyZeros) {
  EXPECT_GT(share({{3}, {}}, 1, [](double a, double) { return a == 0; }), 0.3);
  EXPECT_LT(share({{3}, {}}, 1, [](double a, double) { return a == 0; }), 0.7);
}

TEST(ReachingValues, SquaresThatAddUpToAScalars) {
  const auto on_circle = [](double a, double b) { return a * a + b * b == 1.25 * 1.25 && a != 0 && b != 0; };
  EXPECT_GT(share({{}, {}, false, true}, 1.25, on_circle), 0.0002);
}

TEST(ReachingValues, SumsOfRows) {
  const model::Case bound = two_rows(400, 24, 1);
  const auto set = set_of_reaching(described(bound), {{3}, {}});
  const auto inputs = make_inputs(tests::known(), bound, set.value(), {.seed = 2}).value();
  const Numbers a = load_array(bound.arguments[0], inputs[0]);
  std::size_t equal = 0;
  for (std::size_t row = 0; row < 400; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < 24; ++column) sum += a[row * 24 + column];
    equal += sum == 3 ? 1 : 0;
  }
  EXPECT_GT(equal, 4U);
  EXPECT_LT(equal, 200U);
}

TEST(ReachingValues, StayWithinARange) {
  model::Case bound = two_rows(20, 64, 1);
  bound.arguments[0].fill = model::BoundFill{model::FillForm::uniform, 0, 1};
  const auto set = set_of_reaching(described(bound), {{0.75}, {}});
  const auto inputs = make_inputs(tests::known(), bound, set.value(), {.seed = 2}).value();
  for (const double value : load_array(bound.arguments[0], inputs[0])) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
  }
}

/// How many of the first input are 1.5 or more; `rounded` is where it rounds the other way.
class Counted final : public ComputedOracle {
 public:
  explicit Counted(double rounded) : rounded_(rounded) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    return by(1.5, bound, inputs);
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    return std::optional(by(1.5, bound, inputs));
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_rounded(const model::Case& bound,
                                                                const InputBuffers& inputs,
                                                                std::uint64_t) const override {
    return by(rounded_, bound, inputs);
  }

 private:
  static ReferenceOutputs by(double least, const model::Case& bound, const InputBuffers& inputs) {
    double count = 0;
    for (const double value : load_array(bound.arguments[0], inputs[0])) count += value >= least ? 1 : 0;
    return ReferenceOutputs{{}, {}, {}, {count}};
  }
  double rounded_;
};

TEST(ReachingValues, IntegersThatHangOnARoundingAreNotAsked) {
  model::Case bound = two_rows(20, 64, 1);
  bound.arguments.push_back(
      tests::array_argument("count", model::ArgumentRole::output, model::DType::i32, {1}));
  const auto set = set_of_reaching(described(bound), {{1.5}, {}});
  const auto asked = [&](double rounded) {
    Catalogue known = tests::known();
    known.add("counted", std::make_shared<Counted>(rounded));
    return ReferenceCache(known).get("counted", bound, *set, {.seed = 1})->in_domain;
  };
  EXPECT_TRUE(asked(1.5));
  EXPECT_FALSE(asked(1.51)) << "what is 1.5 may come out below";
}

TEST(ReachingValues, OnlyWhereThereIsSomethingToReach) {
  const model::Case bound = two_rows(2, 2, 1);
  EXPECT_FALSE(set_of_reaching(described(bound), {{}, {2}}));
  std::vector<model::Argument> integers = described(bound);
  for (model::Argument& argument : integers) argument.dtype = model::DType::i32;
  EXPECT_FALSE(set_of_reaching(integers, {{2}, {}}));
  const auto one = set_of_reaching(described(bound), {{2}, {}}),
             other = set_of_reaching(described(bound), {{3}, {}});
  EXPECT_NE(one->name, other->name) << "references are kept by the name";
}

}  // namespace
}  // namespace evo::evaluators::oracle::reaching_cases
