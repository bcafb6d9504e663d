// Elements of which C++ leaves open what they are.
#include "evaluators/oracle/undefined.hpp"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle::undefined_cases {
namespace {

constexpr std::size_t count = 6;

/// 1 everywhere; of undefined quotients element 2 comes in draw 0, and element 4 in draw 1.
class Dividing final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers&) const override {
    return outputs();
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_with_other_quotients(
      const model::Case&, const InputBuffers&, std::uint64_t draw) const override {
    ++asked;
    if (draw == 0 && first_fails) return std::nullopt;
    ReferenceOutputs other = outputs();
    if (all) other[1].assign(count, 5);
    if (divides) other[1][draw == 0 ? 2 : 4] = 7;
    return other;
  }
  static ReferenceOutputs outputs() { return {{}, std::vector<double>(count, 1.0)}; }
  bool divides = true, all = false, first_fails = false;
  mutable int asked = 0;
};

struct UndefinedElementsTest : ::testing::Test {
  UndefinedElementsTest() {
    bound.name = "divides";
    const auto size = static_cast<std::int64_t>(count);
    bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {size}),
                       tests::array_argument("y", model::ArgumentRole::output, model::DType::f32, {size})};
    oracle.computed = &dividing;
  }
  /// What is judged of a kernel that left `values`.
  std::optional<std::vector<double>> judged(const std::vector<double>& values,
                                            const CompareOptions& options = {}) {
    std::vector<std::byte> bytes(4 * count);
    for (std::size_t e = 0; e < count; ++e) store_element(model::DType::f32, values[e], bytes.data() + 4 * e);
    const auto defined = with_undefined(bound.arguments[1], 1, bytes, Dividing::outputs(), {}, {{}, {}},
                                        undefined_elements(oracle, bound, may_be_most), options);
    if (!defined) return std::nullopt;
    return load_array(bound.arguments[1], *defined);
  }
  bool may_be_most = false;
  model::Case bound;
  Dividing dividing;
  Oracle oracle{};
};

TEST_F(UndefinedElementsTest, WhatTheKernelHasThereIsNotJudged) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto left = judged({9, 9, nan, 9, -1e9, 9});
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, (std::vector<double>{9, 9, 1, 9, 1, 9})) << "all others stay";
}

TEST_F(UndefinedElementsTest, ButItMustBeWritten) {
  CompareOptions options;
  options.poison = 0xffffffffU;
  std::vector<std::byte> bytes(4 * count, std::byte{0xff});
  const auto left = with_undefined(bound.arguments[1], 1, bytes, Dividing::outputs(), {}, {{}, {}},
                                   undefined_elements(oracle, bound, may_be_most), options);
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, bytes);
}

TEST_F(UndefinedElementsTest, WhereNothingIsNothingIsGranted) {
  dividing.divides = false;
  EXPECT_FALSE(judged({9, 9, 9, 9, 9, 9}));
}

TEST_F(UndefinedElementsTest, AnOutputOfWhichMostIsUndefinedIsJudgedAsItIs) {
  dividing.all = true;
  EXPECT_FALSE(judged({9, 9, 9, 9, 9, 9}));
  may_be_most = true;
  EXPECT_EQ(*judged({9, 9, 9, 9, 9, 9}), std::vector<double>(count, 1)) << "inputs that nobody declared";
}

TEST_F(UndefinedElementsTest, ADrawThatShowsNothingOrFailsHidesNoOther) {
  dividing.first_fails = true;
  EXPECT_EQ((*judged({9, 9, 9, 9, 9, 9}))[4], 1);
}

TEST_F(UndefinedElementsTest, AreFoundOnce) {
  const UndefinedElements found = undefined_elements(oracle, bound, may_be_most), same = found;
  EXPECT_EQ(found({}, Dividing::outputs())[1], (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(same({}, Dividing::outputs())[1].size(), 2U);
  EXPECT_EQ(dividing.asked, 2);
}

TEST_F(UndefinedElementsTest, SumsHaveNoPlaces) {
  bound.arguments[1].reduce = model::Reduction::sum;
  EXPECT_FALSE(judged({9, 9, 5, 9, 5, 9}));
}

TEST_F(UndefinedElementsTest, BitsOfLongIntegersAreTheKernelsToo) {
  bound.arguments[1].dtype = model::DType::i64;
  std::vector<std::int64_t> actual(count, std::int64_t{1} << 60), words(count, 3);
  const auto bytes = std::as_bytes(std::span(actual));
  const auto left = with_undefined(bound.arguments[1], 1, bytes, Dividing::outputs(), words, {{}, {}},
                                   undefined_elements(oracle, bound, may_be_most), {});
  ASSERT_TRUE(left);
  std::memcpy(actual.data(), left->data(), left->size());
  EXPECT_EQ(actual[2], 3);
  EXPECT_EQ(actual[3], std::int64_t{1} << 60);
}

}  // namespace
}  // namespace evo::evaluators::oracle::undefined_cases
