// Elements of which C++ leaves open what they are.
#include "evaluators/oracle/undefined.hpp"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
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
    if (draw >= 2) return std::nullopt;
    ReferenceOutputs other = outputs();
    if (divides) other[1][draw == 0 ? 2 : 4] = 7;
    return other;
  }
  static ReferenceOutputs outputs() { return {{}, std::vector<double>(count, 1.0)}; }
  bool divides = true;
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
  std::optional<std::vector<double>> granted(const std::vector<double>& values) {
    std::vector<std::byte> bytes(4 * count);
    for (std::size_t e = 0; e < count; ++e) store_element(model::DType::f32, values[e], bytes.data() + 4 * e);
    return with_undefined(bound.arguments[1], 1, bytes, Dividing::outputs(), {{}, {}},
                          undefined_elements(oracle, bound));
  }
  model::Case bound;
  Dividing dividing;
  Oracle oracle{};
};

TEST_F(UndefinedElementsTest, AreWhatTheKernelHas) {
  const auto reference = granted({9, 9, 5, 9, -1e9, 9});
  ASSERT_TRUE(reference);
  EXPECT_EQ(*reference, (std::vector<double>{1, 1, 5, 1, -1e9, 1})) << "all others stay";
}

TEST_F(UndefinedElementsTest, NoQuotientIsNotANumber) {
  const auto reference = granted({1, 1, std::numeric_limits<double>::quiet_NaN(), 1, 2, 1});
  ASSERT_TRUE(reference);
  EXPECT_EQ((*reference)[2], 1);
}

TEST_F(UndefinedElementsTest, WhereNothingIsOneAnswerTellsAndNothingIsGranted) {
  dividing.divides = false;
  EXPECT_FALSE(granted({9, 9, 9, 9, 9, 9}));
  EXPECT_EQ(dividing.asked, 1);
}

TEST_F(UndefinedElementsTest, AreFoundOnce) {
  const UndefinedElements found = undefined_elements(oracle, bound), same = found;
  EXPECT_EQ(found({}, Dividing::outputs())[1], (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(same({}, Dividing::outputs())[1].size(), 2U);
  EXPECT_EQ(dividing.asked, 3);
}

TEST_F(UndefinedElementsTest, SumsHaveNoPlaces) {
  bound.arguments[1].reduce = model::Reduction::sum;
  EXPECT_FALSE(granted({9, 9, 5, 9, 5, 9}));
}

TEST_F(UndefinedElementsTest, BitsOfLongIntegersAreTheKernelsToo) {
  bound.arguments[1].dtype = model::DType::i64;
  std::vector<std::int64_t> actual(count, std::int64_t{1} << 60), words(count, 3);
  const auto bytes = std::as_bytes(std::span(actual));
  const auto granted_words = words_with_undefined(bound.arguments[1], 1, bytes, words, Dividing::outputs(),
                                                  {{}, {}}, undefined_elements(oracle, bound));
  ASSERT_TRUE(granted_words);
  EXPECT_EQ((*granted_words)[2], actual[2]);
  EXPECT_EQ((*granted_words)[3], 3);
}

}  // namespace
}  // namespace evo::evaluators::oracle::undefined_cases
