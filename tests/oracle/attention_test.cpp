#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "packs/attention/references.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Attention from its definition, one element at a time, in long double.
std::vector<double> by_definition(const model::Case& bound, const InputBuffers& inputs) {
  const auto q = load_array(bound.arguments[0], inputs[0]);
  const auto k = load_array(bound.arguments[1], inputs[1]);
  const auto v = load_array(bound.arguments[2], inputs[2]);
  const auto& shape = bound.arguments[0].shape;
  const std::int64_t seq = shape[2];
  const std::int64_t dim = shape[3];
  const bool causal = bound.arguments[4].scalar_integer != 0;
  const double scale = static_cast<float>(bound.arguments[5].scalar_float);
  std::vector<double> out(q.size());
  for (std::int64_t head = 0; head < shape[0] * shape[1]; ++head) {
    for (std::int64_t i = 0; i < seq; ++i) {
      for (std::int64_t d = 0; d < dim; ++d) {
        long double numerator = 0, denominator = 0;
        for (std::int64_t j = 0; j < (causal ? i + 1 : seq); ++j) {
          long double logit = 0;
          for (std::int64_t e = 0; e < dim; ++e) {
            logit += static_cast<long double>(q[static_cast<std::size_t>((head * seq + i) * dim + e)]) *
                     k[static_cast<std::size_t>((head * seq + j) * dim + e)];
          }
          const long double weight = std::exp(logit * scale);
          numerator += weight * v[static_cast<std::size_t>((head * seq + j) * dim + d)];
          denominator += weight;
        }
        out[static_cast<std::size_t>((head * seq + i) * dim + d)] =
            static_cast<double>(numerator / denominator);
      }
    }
  }
  return out;
}

class AttentionOracle : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(AttentionOracle, AgreesWithTheDefinition) {
  const auto [causal, view] = GetParam();
  const model::Case bound = tests::attention_case(2, 3, 19, 8, causal, view);
  const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3});
  ASSERT_TRUE(inputs.has_value());
  const auto outputs = packs::attention::attention_forward(bound, *inputs);
  ASSERT_TRUE(outputs.has_value());
  const auto expected = by_definition(bound, *inputs);
  ASSERT_EQ((*outputs)[3].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((*outputs)[3][i], expected[i], 1e-12);
}

INSTANTIATE_TEST_SUITE_P(CausalAndView, AttentionOracle,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

// Rows are computed a few at a time, and keys and columns in eights: each row has the bits that it has alone.
TEST(AttentionOracle, ARowHasTheSameBitsWhateverIsComputedBesideIt) {
  for (const bool causal : {false, true}) {
    const model::Case bound = tests::attention_case(1, 2, 37, 11, causal, false);
    const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 4});
    ASSERT_TRUE(inputs.has_value());
    const auto whole = packs::attention::attention_forward(bound, *inputs);
    ASSERT_TRUE(whole.has_value());
    for (std::int64_t row = 0; row < 74; ++row) {
      const auto alone = packs::attention::attention_forward_rows(bound, *inputs, std::array{row});
      ASSERT_TRUE(alone.has_value());
      for (std::size_t d = 0; d < 11; ++d)
        ASSERT_EQ((*alone)[3][d], (*whole)[3][static_cast<std::size_t>(row) * 11 + d]) << row << " " << d;
    }
  }
}

TEST(AttentionOracle, LogitsBeyondTheRangeOfExpStayFinite) {
  const model::Case bound = tests::attention_case(1, 1, 33, 64, false);
  for (const char* kind : {"negative_logits", "extreme_logits", "large_logits"}) {
    const auto inputs = make_inputs(evo::tests::known(), bound, {kind, kind, {}}, {.seed = 1});
    ASSERT_TRUE(inputs.has_value());
    const auto outputs = packs::attention::attention_forward(bound, *inputs);
    for (const double value : (*outputs)[3]) EXPECT_TRUE(std::isfinite(value)) << kind;
  }
}

TEST(AttentionOracle, FirstCausalRowIsTheFirstRowOfV) {
  const model::Case bound = tests::attention_case(1, 2, 7, 16, true);
  const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 9});
  const auto outputs = packs::attention::attention_forward(bound, *inputs);
  const auto v = load_array(bound.arguments[2], (*inputs)[2]);
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t d = 0; d < 16; ++d) EXPECT_DOUBLE_EQ((*outputs)[3][head * 112 + d], v[head * 112 + d]);
  }
}

TEST(Oracles, RefuseAProblemThatDoesNotFit) {
  model::Case bound = tests::attention_case(1, 1, 4, 8, false);
  const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {});
  bound.arguments[5].name = "sigma";
  const auto missing = packs::attention::attention_forward(bound, *inputs);
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find("scale"), std::string::npos);
  bound = tests::attention_case(1, 1, 4, 8, false);
  bound.arguments[2].shape = {1, 1, 4, 4};
  EXPECT_FALSE(packs::attention::attention_forward(bound, *inputs).has_value());
  EXPECT_EQ(evo::tests::known().find_oracle("no such"), nullptr);
  for (const std::string& name : evo::tests::known().oracle_names())
    EXPECT_NE(evo::tests::known().find_oracle(name), nullptr);
}

TEST(Oracles, VectorAddAndSaxpy) {
  const model::Case add = tests::vector_add_case(5);
  const auto inputs = make_inputs(evo::tests::known(), add, {"normal", "normal", {}}, {.seed = 2});
  const auto sum = vector_add(add, *inputs);
  const auto a = load_array(add.arguments[0], (*inputs)[0]);
  const auto b = load_array(add.arguments[1], (*inputs)[1]);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ((*sum)[2][i], a[i] + b[i]);

  model::Case scaled = add;
  scaled.arguments[0].name = "x";
  scaled.arguments[1].name = "y";
  scaled.arguments[2].name = "z";
  EXPECT_FALSE(saxpy(scaled, *inputs).has_value());
  scaled.arguments.push_back(tests::scalar_argument("alpha", model::DType::f32, 0.1));
  const auto z = saxpy(scaled, *inputs);
  ASSERT_TRUE(z.has_value());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ((*z)[2][i], double{0.1F} * a[i] + b[i]);
}

}  // namespace
}  // namespace evo::evaluators::oracle
