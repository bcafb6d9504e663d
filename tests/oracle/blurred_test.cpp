// Elements that the roundings of the oracle decide are nobody's fault.
#include "evaluators/oracle/blurred.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle::blurred_cases {
namespace {

constexpr std::size_t count = 8;

/// 1 everywhere; rounded the other way element 2 is 0 in draw 1, element 5 no number or without an end, and
/// element 6 hardly moves. What is no number says nothing of how far an element may move.
class Blurry final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers&) const override {
    return outputs();
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_rounded_in_f64(const model::Case&,
                                                                       const InputBuffers&,
                                                                       std::uint64_t draw) const override {
    ++asked;
    if (silent) return std::nullopt;
    ReferenceOutputs rounded = outputs();
    if (draw == 1) rounded[1][2] = 0;
    using Limits = std::numeric_limits<double>;
    rounded[1][5] = draw == 3 ? Limits::infinity() : Limits::quiet_NaN();
    rounded[1][6] = 1 + 1e-9;
    return rounded;
  }
  static ReferenceOutputs outputs() { return {{}, std::vector<double>(count, 1.0)}; }
  bool silent = false;
  mutable int asked = 0;
};

struct BlurredElementsTest : ::testing::Test {
  BlurredElementsTest() {
    bound.name = "blurry";
    const auto size = static_cast<std::int64_t>(count);
    bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {size}),
                       tests::array_argument("y", model::ArgumentRole::output, model::DType::f32, {size})};
    oracle.computed = &blurry;
  }
  /// What the reference is for a kernel that left `values`.
  std::optional<std::vector<double>> granted(const std::vector<double>& values) {
    std::vector<std::byte> bytes(4 * count);
    for (std::size_t e = 0; e < count; ++e) store_element(model::DType::f32, values[e], bytes.data() + 4 * e);
    return with_blurred(bound.arguments[1], 1, bytes, Blurry::outputs(), {{}, {}},
                        blurred_elements(oracle, bound));
  }
  model::Case bound;
  Blurry blurry;
  Oracle oracle{};
};

TEST_F(BlurredElementsTest, AreWhatTheKernelHas) {
  const auto reference = granted({9, 9, 0.5, 9, 9, 0.25, 9, 9});
  ASSERT_TRUE(reference);
  EXPECT_EQ(*reference, (std::vector<double>{1, 1, 0.5, 1, 1, 1, 1, 1})) << "all others stay";
}

TEST_F(BlurredElementsTest, AreBetweenTheAnswers) {
  const auto reference = granted({1, 1, 7, 1, 1, -1e9, 1, 1});
  ASSERT_TRUE(reference);
  EXPECT_EQ((*reference)[2], 1) << "from 0 to 1";
  EXPECT_EQ((*granted({1, 1, -3, 1, 1, 1, 1, 1}))[2], 0);
  EXPECT_EQ((*reference)[5], 1) << "what is no number says nothing of how far it may move";
  EXPECT_EQ((*granted({1, 1, 1, 1, 1, 1e9, 1, 1}))[5], 1) << "nor does what has no end";
}

TEST_F(BlurredElementsTest, WhatIsAskedForAndIsNoNumberIsNone) {
  using Limits = std::numeric_limits<double>;
  for (const double asked_for : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    const BlurredElements found = blurred_elements(oracle, bound);
    ReferenceOutputs outputs = Blurry::outputs();
    outputs[1][2] = asked_for;
    EXPECT_TRUE(found({}, outputs)[1].empty()) << asked_for;
  }
}

TEST_F(BlurredElementsTest, AnInfinityElsewhereHidesNone) {
  const BlurredElements found = blurred_elements(oracle, bound);
  ReferenceOutputs outputs = Blurry::outputs();
  outputs[1][7] = std::numeric_limits<double>::infinity();
  ASSERT_EQ(found({}, outputs)[1].size(), 1U);
  EXPECT_EQ(found({}, outputs)[1][0].element, 2U);
}

TEST_F(BlurredElementsTest, ButNoNumberIsNoAnswer) {
  using Limits = std::numeric_limits<double>;
  for (const double none : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    const auto reference = granted({1, 1, none, 1, 1, none, 1, 1});
    ASSERT_TRUE(reference);
    EXPECT_EQ(*reference, std::vector<double>(count, 1.0));
  }
}

TEST_F(BlurredElementsTest, AreFoundOnceAndOfFloatingPointOutputsAlone) {
  const BlurredElements found = blurred_elements(oracle, bound);
  EXPECT_EQ(blurry.asked, 0) << "nobody has asked";
  const std::vector<Blur>& open = found({}, Blurry::outputs())[1];
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].element, 2U);
  const int once = blurry.asked;
  EXPECT_EQ(found({}, Blurry::outputs())[1].size(), 1U);
  EXPECT_EQ(blurry.asked, once);
  bound.arguments[1].dtype = model::DType::i32;
  EXPECT_FALSE(blurred_elements(oracle, bound));
}

TEST_F(BlurredElementsTest, OfAnOracleThatCannotTellThereAreNone) {
  blurry.silent = true;
  EXPECT_FALSE(granted(std::vector<double>(count, 0.5)));
  oracle.computed = nullptr;
  EXPECT_FALSE(blurred_elements(oracle, bound));
}

}  // namespace
}  // namespace evo::evaluators::oracle::blurred_cases
