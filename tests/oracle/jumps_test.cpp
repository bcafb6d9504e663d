// Elements that a comparison of inputs decides: what they jump by is no rounding.
#include "evaluators/oracle/jumps.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/moves.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle::jumps_cases {
namespace {

using Numbers = std::vector<double>;
using Rule = std::function<double(double a, double b)>;

model::Case pairs_of(std::size_t n) {
  model::Case bound;
  bound.name = "pairs";
  const auto size = static_cast<std::int64_t>(n);
  for (const char* name : {"a", "b"})
    bound.arguments.push_back(
        tests::array_argument(name, model::ArgumentRole::input, model::DType::f32, {size}));
  bound.arguments.push_back(
      tests::array_argument("y", model::ArgumentRole::output, model::DType::f32, {size}));
  return bound;
}

InputBuffers inputs_of(const model::Case& bound, const Numbers& a, const Numbers& b) {
  InputBuffers inputs(bound.arguments.size());
  for (std::size_t i = 0; i < 2; ++i) {
    inputs[i].resize(4 * a.size());
    for (std::size_t e = 0; e < a.size(); ++e)
      store_element(model::DType::f32, i == 0 ? a[e] : b[e], inputs[i].data() + 4 * e);
  }
  return inputs;
}

/// Place by place; `rounded` is what its results are where they are rounded the other way, nothing where the
/// oracle knows of none.
class Paired final : public ComputedOracle {
 public:
  explicit Paired(Rule rule, Rule rounded = {}) : rule_(std::move(rule)), rounded_(std::move(rounded)) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    ++asked;
    return by(rule_, bound, inputs);
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_rounded(const model::Case& bound,
                                                                const InputBuffers& inputs,
                                                                std::uint64_t draw) const override {
    if (!rounded_) return std::nullopt;
    return by(draw == 1 ? rounded_ : rule_, bound, inputs);
  }
  mutable int asked = 0;

 private:
  static ReferenceOutputs by(const Rule& rule, const model::Case& bound, const InputBuffers& inputs) {
    const Numbers a = load_array(bound.arguments[0], inputs[0]),
                  b = load_array(bound.arguments[1], inputs[1]);
    ReferenceOutputs outputs(3);
    for (std::size_t e = 0; e < a.size(); ++e) outputs[2].push_back(rule(a[e], b[e]));
    return outputs;
  }
  Rule rule_, rounded_;
};

constexpr std::size_t count = 64;
Numbers rising(double first) {
  Numbers values(count);
  for (std::size_t e = 0; e < count; ++e) values[e] = first + 0.125 * static_cast<double>(e);
  return values;
}

double granted(const Paired& paired, const Numbers& a, const Numbers& b, double relative = 4e-6) {
  const model::Case bound = pairs_of(a.size());
  Oracle oracle{};
  oracle.computed = &paired;
  const InputBuffers inputs = inputs_of(bound, a, b);
  Reference reference;
  reference.outputs = *paired.compute(bound, inputs);
  return (*measure_conditioning(oracle, bound, inputs, reference, relative, 5))[2].largest;
}

double chosen(double a, double b) {
  return a > b ? a : b / 2;
}

TEST(Jumps, OfEqualsThatNothingRoundsAreNotGranted) {
  const Numbers a = rising(1);
  EXPECT_LT(granted(Paired(chosen, chosen), a, a), 1e-4);
  EXPECT_LT(granted(Paired(chosen), a, a), 1e-4) << "all that is equal moves alike";
  EXPECT_GT(granted(Paired(chosen, chosen), a, a, 1e-3), 0.4) << "float says nothing of 16 bits";
  Numbers b = a;
  for (double& value : b) value = static_cast<double>(static_cast<float>(value * (1 + 0x1p-20)));
  EXPECT_LT(granted(Paired(chosen, chosen), a, b), 1e-4) << "nor of neighbours";
}

TEST(Jumps, ThatARoundingDecidesAreGranted) {
  const Numbers a = rising(1);
  const Rule other = [](double x, double y) { return x >= y ? x : y / 2; };
  EXPECT_GT(granted(Paired(chosen, other), a, a), 0.4);
  Numbers b = a;
  for (double& value : b) value = static_cast<double>(static_cast<float>(value * (1 + 0x1p-20)));
  EXPECT_GT(granted(Paired(chosen), a, b), 0.4) << "where nobody says, neighbours may be taken across";
}

TEST(Jumps, OfAFewElementsAreGranted) {
  const Numbers a = rising(1);
  Numbers b = rising(2);
  for (std::size_t e = 0; e < count; ++e) b[e] = e % 16 == 0 ? a[e] : a[e] + 1;
  EXPECT_GT(granted(Paired(chosen, chosen), a, b), 0.4) << "four of 64 may be near by chance";
}

TEST(Jumps, WhatMovesInProportionIsGranted) {
  // A sum that cancels, far larger than its answer.
  const Rule sum = [](double x, double y) { return 1e6 * x - 1e6 * y; };
  const Numbers a = rising(1);
  const double moved = granted(Paired(sum, sum), a, a);
  EXPECT_GT(moved, 4);
  EXPECT_LT(moved, 100);
}

TEST(Jumps, CostNothingWhereNothingMovesFar) {
  const Paired smooth([](double x, double y) { return x + y; });
  static_cast<void>(granted(smooth, rising(1), rising(2)));
  EXPECT_EQ(smooth.asked, 3) << "the reference, and two moves";
}

TEST(Moves, ByValueKeepEqualsAndOpposites) {
  const model::Case bound = pairs_of(count);
  const Numbers a = rising(1);
  Numbers b = a;
  for (double& value : b) value = -value;
  const InputBuffers other = moved(bound, inputs_of(bound, a, b), {1e-3, 3, 1, MovedBy::value}, {});
  const Numbers moved_a = load_array(bound.arguments[0], other[0]),
                moved_b = load_array(bound.arguments[1], other[1]);
  std::size_t up = 0;
  for (std::size_t e = 0; e < count; ++e) {
    EXPECT_EQ(moved_a[e], -moved_b[e]);
    up += moved_a[e] > a[e] ? 1 : 0;
  }
  EXPECT_GT(up, count / 4);
  EXPECT_LT(up, 3 * count / 4);
}

}  // namespace
}  // namespace evo::evaluators::oracle::jumps_cases
