// Which inputs a plain kernel in float can take.
#include "evaluators/oracle/float_range.hpp"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

/// What it computes in float is a script.
class Scripted final : public ComputedOracle {
 public:
  explicit Scripted(std::optional<std::vector<double>> plain) : plain_(std::move(plain)) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers&) const override {
    return ReferenceOutputs{{}, {1, 2, 3}};
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case&, const InputBuffers&, std::span<const std::int64_t>) const override {
    if (!plain_) return std::nullopt;
    return ReferenceOutputs{{}, *plain_};
  }

 private:
  std::optional<std::vector<double>> plain_;
};

bool takes(std::optional<std::vector<double>> plain, double scale = 1) {
  const Scripted computed(std::move(plain));
  Oracle oracle{};
  oracle.computed = &computed;
  model::Case bound;
  bound.arguments.push_back({"x", model::ArgumentRole::input, model::DType::f32, {3}, {1}});
  bound.arguments.push_back({"y", model::ArgumentRole::output, model::DType::f32, {3}, {1}});
  Reference reference;
  reference.outputs = {{}, {scale, 2 * scale, 3 * scale}};
  return float_can_take(oracle, bound, InputBuffers(2), reference);
}

TEST(FloatRange, RoundingIsNoReason) {
  EXPECT_TRUE(takes(std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(takes(std::vector<double>{1.01, 2, 2.98}));
  EXPECT_TRUE(takes(std::nullopt)) << "no form in float: nobody knows";
  EXPECT_TRUE(takes(std::vector<double>{1e300, 2e300, 3e300}, 1e300)) << "squares of these overflow";
}

TEST(FloatRange, WhatOverflowsOnTheWayIs) {
  EXPECT_FALSE(takes(std::vector<double>{0, 0, 0})) << "1 / infinity";
  EXPECT_FALSE(takes(std::vector<double>{1, INFINITY, 3}));
  EXPECT_FALSE(takes(std::vector<double>{1, NAN, 3}));
}

TEST(FloatRange, IntegersThatAFloatRoundsOtherwise) {
  const auto keeps = [](std::vector<double> plain) {
    const Scripted computed(std::move(plain));
    Oracle oracle{};
    oracle.computed = &computed;
    model::Case bound;
    bound.arguments.push_back({"x", model::ArgumentRole::input, model::DType::f32, {3}, {1}});
    bound.arguments.push_back({"y", model::ArgumentRole::output, model::DType::i32, {3}, {1}});
    Reference reference;
    reference.outputs = {{}, {1, 2, 3}};
    return float_keeps_integers(oracle, bound, InputBuffers(2), reference);
  };
  EXPECT_TRUE(keeps({1, 2, 3}));
  EXPECT_FALSE(keeps({1, 2, 4}));
}

/// As many elements as are not 0.
class NotZero final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    double count = 0;
    for (const double value : load_array(bound.arguments[0], inputs[0])) count += value != 0 ? 1 : 0;
    return ReferenceOutputs{{}, {count}};
  }
};

TEST(FloatRange, IntegersThatHangOnDenormalsAreAskedOfNobody) {
  const NotZero computed;
  Oracle oracle{};
  oracle.computed = &computed;
  model::Case bound;
  bound.arguments.push_back({"x", model::ArgumentRole::input, model::DType::f32, {2}, {1}});
  bound.arguments.push_back({"y", model::ArgumentRole::output, model::DType::i32, {1}, {1}});
  const auto hang = [&](float second) {
    InputBuffers inputs(2);
    const std::array<float, 2> values{1.0F, second};
    inputs[0].resize(sizeof values);
    std::memcpy(inputs[0].data(), values.data(), sizeof values);
    Reference reference;
    reference.outputs = *computed.compute(bound, inputs);
    return integers_hang_on_denormals(oracle, bound, inputs, reference);
  };
  EXPECT_TRUE(hang(1e-40F));
  EXPECT_FALSE(hang(1e-30F));
  EXPECT_FALSE(hang(0.0F));
  bound.arguments[1].dtype = model::DType::f32;
  EXPECT_FALSE(hang(1e-40F)) << "of numbers the bounds grant it";
}

}  // namespace
}  // namespace evo::evaluators::oracle
