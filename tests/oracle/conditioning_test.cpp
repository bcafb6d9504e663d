// How far a correct answer may be off where the data decides it.
#include "evaluators/oracle/conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluators/oracle/blurred.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Conditioning, ACancellingSumIsGrantedTheRoundingOfItsTerms) {
  const model::Case bound = tests::vector_add_case(64);
  const Oracle* oracle = evo::tests::known().find_oracle("vector_add");
  const auto moved_by = [&](const model::InputSet& set, double relative) {
    const auto inputs = make_inputs(evo::tests::known(), bound, set, {.seed = 1});
    Reference reference;
    reference.outputs = *oracle->compute(bound, *inputs);
    return (*measure_conditioning(*oracle, bound, *inputs, reference, relative, 5))[2].rms;
  };
  const double normal = moved_by({"normal", "normal", {}}, 1e-3);
  EXPECT_GT(normal, 0.5e-3);
  EXPECT_LT(normal, 3e-3);
  EXPECT_GT(moved_by({"cancellation", "cancellation", {}}, 1e-3), 50 * normal);
  EXPECT_NEAR(moved_by({"normal", "normal", {}}, 1e-5) / normal, 1e-2, 5e-3)
      << "it follows the relative error";
}

// One number that stays where it is in two moves of its inputs would be granted next to nothing.
TEST(Conditioning, OneNumberIsMovedOftenEnough) {
  model::Case bound = tests::vector_add_case(64);
  bound.arguments.resize(3);
  bound.arguments[2].shape = {1};
  bound.arguments[2].strides = {1};
  Catalogue known;
  known.add("problem", std::make_shared<ExpressionOracle>(
                           std::vector<model::OracleStatement>{{"c[z] = sum(i, a[i] + b[i])", "p", 1, 1}}));
  const Oracle& oracle = *known.find_oracle("problem");
  int unlucky = 0;
  for (std::uint64_t entropy = 1; entropy <= 100; ++entropy) {
    const auto inputs = make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = entropy});
    Reference reference;
    const auto answer = oracle.compute(bound, *inputs);
    ASSERT_TRUE(answer) << answer.error().text();
    reference.outputs = *answer;
    const double moved = (*measure_conditioning(oracle, bound, *inputs, reference, 1e-3, entropy))[2].rms;
    unlucky += moved < 0.3 * 1e-3 * std::sqrt(128.0);
  }
  EXPECT_LE(unlucky, 1) << "of two draws six of a hundred are";
}

TEST(Conditioning, FillsOfSeveralSetsNeedNotMeet) {
  const Oracle* oracle = evo::tests::known().find_oracle("vector_add");
  const auto moved_by = [&](const std::optional<model::BoundFill>& fill,
                            const std::optional<model::BoundFill>& of_hot) {
    model::Case bound = tests::vector_add_case(64);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      bound.arguments[i].fill = fill;
      if (of_hot) bound.arguments[i].set_fills["hot"] = *of_hot;
    }
    const auto inputs = make_inputs(evo::tests::known(), bound, {"hot", "normal", {}}, {.seed = 1});
    Reference reference;
    reference.outputs = *oracle->compute(bound, *inputs);
    return (*measure_conditioning(*oracle, bound, *inputs, reference, 1e-3, 5))[2].rms;
  };
  const model::BoundFill cold{model::FillForm::uniform, 0, 100}, hot{model::FillForm::normal, 800, 50};
  EXPECT_GT(moved_by(cold, hot), 0.5) << "sums of 1600 move by a thousandth";
  EXPECT_GT(moved_by(std::nullopt, hot), 0.5);
  EXPECT_GT(moved_by(cold, std::nullopt), 0.01);
  EXPECT_EQ(moved_by(cold, model::BoundFill{model::FillForm::integers, 0, 9}), 0)
      << "integers mean something else";
}

TEST(Conditioning, SumsThatOverflowOnTheirWayAreOutsideOfTheDomain) {
  // c = a + b: terms near the end of the range that cancel. (In a product of matrices many such terms meet.)
  model::Case bound = tests::vector_add_case(2);
  Reference near;
  near.outputs = {{}, {}, {1, 2e38}, {}, {}};
  EXPECT_GT(share_of_range(bound, near), 0.5);
  near.outputs[2] = {1, 2};
  EXPECT_LT(share_of_range(bound, near), 0x1p-100);
  bound.arguments[2].dtype = model::DType::f16;
  near.outputs[2] = {1, 60000};
  EXPECT_EQ(share_of_range(bound, near), 0) << "sums of it have a wider range";
  InputBuffers inputs(bound.arguments.size());
  for (std::size_t i = 0; i < 2; ++i) {
    inputs[i].resize(8);
    store_element(model::DType::f32, -3, inputs[i].data());
    store_element(model::DType::f32, 4, inputs[i].data() + 4);
  }
  const InputBuffers bare = magnitudes(bound, inputs);
  EXPECT_EQ(load_element(model::DType::f32, bare[0].data()), 3);
  EXPECT_EQ(load_element(model::DType::f32, bare[1].data() + 4), 4);
}

TEST(Conditioning, AnswersBeyondTheTypeAreOutsideOfTheDomain) {
  model::Case bound = tests::vector_add_case(4);
  Reference reference;
  reference.outputs.resize(bound.arguments.size());
  reference.outputs[2] = {1, 2, 3, 1e38};
  EXPECT_TRUE(representable(bound, reference));
  reference.outputs[2][1] = 1e39;
  EXPECT_FALSE(representable(bound, reference));
  reference.outputs[2][1] = std::nan("");
  EXPECT_FALSE(representable(bound, reference));
  bound.arguments[2].dtype = model::DType::f16;
  reference.outputs[2] = {65504, 0, 0, 0};
  EXPECT_TRUE(representable(bound, reference));
  reference.outputs[2] = {65536, 0, 0, 0};
  EXPECT_FALSE(representable(bound, reference));
  bound.arguments[2].dtype = model::DType::i16;
  reference.outputs[2] = {-32768, 0, 0, 0};
  EXPECT_TRUE(representable(bound, reference));
  reference.outputs[2] = {32768, 0, 0, 0};
  EXPECT_FALSE(representable(bound, reference));
}

TEST(Conditioning, IsKeptApartInTheCache) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::vector_add_case(8);
  const model::InputSet set{"normal", "normal", {}};
  EXPECT_TRUE(cache.get("vector_add", bound, set, {.seed = 1})->conditioning.empty());
  EXPECT_EQ(cache.get("vector_add", bound, set, {.seed = 1}, false, 1e-3)->conditioning.size(),
            bound.arguments.size());
}

/// Attention with its scores rounded to FP16, as many kernels store them: correct by the class fp16-softmax.
std::vector<std::byte> with_half_scores(const model::Case& bound, const InputBuffers& inputs) {
  const auto q = load_array(bound.arguments[0], inputs[0]), k = load_array(bound.arguments[1], inputs[1]),
             v = load_array(bound.arguments[2], inputs[2]);
  const auto& shape = bound.arguments[0].shape;
  const auto seq = static_cast<std::size_t>(shape[2]), dim = static_cast<std::size_t>(shape[3]);
  const auto half = [](double value) {
    std::array<std::byte, 8> bytes{};
    store_element(model::DType::f16, value, bytes.data());
    return load_element(model::DType::f16, bytes.data());
  };
  std::vector<std::byte> out(seq * dim * 2);
  for (std::size_t i = 0; i < seq; ++i) {
    std::vector<double> scores(seq);
    for (std::size_t j = 0; j < seq; ++j) {
      for (std::size_t d = 0; d < dim; ++d) scores[j] += q[i * dim + d] * k[j * dim + d];
      scores[j] = half(scores[j] * static_cast<float>(bound.arguments[5].scalar_float));
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (std::size_t d = 0; d < dim; ++d) {
      double all = 0;
      for (std::size_t j = 0; j < seq; ++j) all += half(scores[j]) * v[j * dim + d];
      store_element(model::DType::f16, all / sum, out.data() + (i * dim + d) * 2);
    }
  }
  return out;
}

// Of two rows, one whose weights nearly tie decides the mean error alone. The seeds are two of 12000.
TEST(Conditioning, ARightKernelIsNotRefusedForTheLuckOfAFewElements) {
  const model::Case bound = tests::attention_case(1, 1, 2, 64, false, false);
  ReferenceCache cache(evo::tests::known());
  for (const std::uint64_t seed : {1306, 7170}) {
    const auto reference =
        cache.get("attention_forward", bound, {"large_logits", "large_logits", {}}, {.seed = seed});
    const auto actual = with_half_scores(bound, reference->inputs);
    CompareOptions options = options_for({"fp16-softmax", 3e-3, 5e-2}, *reference, 3);
    EXPECT_TRUE(compare(bound.arguments[3], actual, reference->outputs[3], options).pass) << seed;
    options.conditioning.reset();
    EXPECT_FALSE(compare(bound.arguments[3], actual, reference->outputs[3], options).pass) << seed;
  }
}

/// Of an ordinary set, but for one large element in each row of Q: the scores are 512 times a number, and two
/// of them nearly tie in a row now and then.
std::shared_ptr<const ReferenceData> with_a_peak(ReferenceCache& cache, const model::Case& bound,
                                                 std::uint64_t seed) {
  return cache.get("attention_forward", bound, {"peak of Q", "peak", {{"argument", 0}}}, {.seed = seed},
                   false, 3e-3);
}

bool passes_with_half_scores(const model::Case& bound, const ReferenceData& reference, bool moved) {
  const CompareOptions options = options_for({"fp16-softmax", 3e-3, 5e-2}, reference, 3);
  const auto actual = with_half_scores(bound, reference.inputs);
  if (!moved) return compare(bound.arguments[3], actual, reference.outputs[3], options).pass;
  const auto granted =
      with_blurred(bound.arguments[3], 3, actual, reference.outputs, reference.inputs, reference.moved);
  return compare(bound.arguments[3], actual, *granted, options).pass;
}

// The seeds are two of those that the test below finds.
TEST(Conditioning, TwoWeightsThatTieMoveApartInOneOfManyMoves) {
  const model::Case bound = tests::attention_case(1, 1, 63, 64, false, false);
  ReferenceCache cache(evo::tests::known());
  for (const std::uint64_t seed : {126, 210}) {
    const auto reference = with_a_peak(cache, bound, seed);
    EXPECT_FALSE(passes_with_half_scores(bound, *reference, false)) << seed;
    EXPECT_TRUE(passes_with_half_scores(bound, *reference, true)) << seed;
    // One row for another, here the first for the second: each element is granted its own moves alone.
    auto actual = with_half_scores(bound, reference->inputs);
    std::copy_n(actual.begin() + 128, 128, actual.begin());
    const auto granted =
        with_blurred(bound.arguments[3], 3, actual, reference->outputs, reference->inputs, reference->moved);
    EXPECT_FALSE(compare(bound.arguments[3], actual, *granted,
                         options_for({"fp16-softmax", 3e-3, 5e-2}, *reference, 3))
                     .pass)
        << seed;
  }
}

TEST(Conditioning, WhereTheClassAloneJudgesNothingIsGrantedToElements) {
  ReferenceCache cache(evo::tests::known());
  const model::InputSet normal{"normal", "normal", {}};
  const auto few =
      cache.get("attention_forward", tests::attention_case(1, 1, 4, 64, false, false), normal, {.seed = 1});
  EXPECT_FALSE(few->conditioning.empty())
      << "one rounding of the inputs is granted to few outputs as a whole";
  EXPECT_FALSE(few->moved);
  const model::Case sums = tests::vector_add_case(64);
  EXPECT_FALSE(cache.get("vector_add", sums, normal, {.seed = 1}, false, rounding_of_inputs(sums))->moved);
  EXPECT_TRUE(cache.get("vector_add", sums, normal, {.seed = 1}, false, 1e-3)->moved);
}

// docs/results/2026-11-28-moves.md.
TEST(Conditioning, DISABLED_HowOftenTwoMovesMissWeightsThatTie) {
  constexpr std::uint64_t draws = 4000;
  const model::Case bound = tests::attention_case(1, 1, 63, 64, false, false);
  ReferenceCache cache(evo::tests::known());
  int two = 0, many = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const auto reference = with_a_peak(cache, bound, seed);
    if (passes_with_half_scores(bound, *reference, false)) continue;
    ++two;
    if (!passes_with_half_scores(bound, *reference, true)) ++many;
  }
  fmt::print("{} draws: refused with two moves {}, with more {}\n", draws, two, many);
}

// How often the bound alone, and the bound with what is granted, refuse a correct kernel. Takes minutes:
// --gtest_also_run_disabled_tests. docs/results/2026-11-25-luck.md.
TEST(Conditioning, DISABLED_HowOftenLuckRefuses) {
  constexpr std::uint64_t draws = 20000;
  for (const std::int64_t rows : {2, 3, 4, 6, 8, 12}) {
    const model::Case bound = tests::attention_case(1, 1, rows, 64, false, false);
    ReferenceCache cache(evo::tests::known());
    int alone = 0, granted = 0;
    double worst = 0;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const auto reference =
          cache.get("attention_forward", bound, {"large_logits", "large_logits", {}}, {.seed = seed});
      const auto actual = with_half_scores(bound, reference->inputs);
      CompareOptions options = options_for({"fp16-softmax", 3e-3, 5e-2}, *reference, 3);
      if (!compare(bound.arguments[3], actual, reference->outputs[3], options).pass) ++granted;
      options.conditioning.reset();
      const Comparison judged = compare(bound.arguments[3], actual, reference->outputs[3], options);
      if (!judged.pass) ++alone;
      worst = std::max(worst, judged.relative_frobenius / 3e-3);
    }
    fmt::print(
        "{} rows, {} draws: refused by the bound {}, with the grant {}; worst error {:.2f} of the bound\n",
        rows, draws, alone, granted, worst);
  }
}

TEST(Conditioning, OfManyElementsNothingIsGrantedForLuck) {
  const std::int64_t most = 2048 / 64;
  EXPECT_GT(rounding_of_few(tests::attention_case(1, 1, most, 64, false, false)), 0);
  EXPECT_EQ(rounding_of_few(tests::attention_case(1, 1, most + 1, 64, false, false)), 0);
  EXPECT_EQ(rounding_of_few(tests::vector_add_case(8)), 0) << "FP32 has a rule of its own";
}

}  // namespace
}  // namespace evo::evaluators::oracle
