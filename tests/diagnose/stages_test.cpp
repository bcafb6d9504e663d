// The stages lead to the oracle's output, and each hypothesis is a mistake that shows.
#include <cmath>

#include <gtest/gtest.h>

#include "diagnose/stage_check.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/stages.hpp"
#include "packs/attention/references.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"

namespace evo::diagnose {
namespace {

namespace oracle = evaluators::oracle;

struct Attention {
  model::Case bound;
  oracle::InputBuffers inputs;
  oracle::ReferenceOutputs outputs;

  Attention(std::int64_t seq, std::int64_t causal, const std::string& kind = "normal") {
    const model::Problem problem = tests::shipped_problem("attention_forward");
    const model::Template& kernel = *problem.find_template("scalar");
    const model::Space space = tests::bound_space(problem, "scalar", 32);
    const model::Workload workload{
        "w",
        1,
        {{"batch", 2}, {"heads", 2}, {"seq", seq}, {"head_dim", 32}, {"causal", causal}, {"layout", 1}}};
    bound = model::bind_case(problem, kernel, space, space.initial(), workload).value();
    inputs = oracle::make_inputs(evo::tests::known(), bound, {kind, kind, {}}, {.seed = 7}).value();
    outputs = packs::attention::attention_forward(bound, inputs).value();
  }
  oracle::StageReference stage(const std::string& formula, std::string_view mistake = {},
                               std::int64_t slice = 3, std::int64_t tile = 16) const {
    return evo::tests::known()
        .find_stage_formula(formula)
        ->compute({bound, inputs, slice, tile}, mistake)
        .value();
  }
};

TEST(AttentionStages, TheLastAccumulatorOverTheLastSumIsTheOutput) {
  for (const std::int64_t causal : {0, 1}) {
    const Attention attention(37, causal);
    const auto sums = attention.stage("attention_running_sum"),
               accumulators = attention.stage("attention_accumulator");
    ASSERT_EQ(sums.columns, 3);
    ASSERT_EQ(accumulators.columns, 3 * 32);
    for (std::int64_t i = 0; i < 37; ++i) {
      for (std::int64_t d = 0; d < 32; ++d) {
        const double output = attention.outputs[3][static_cast<std::size_t>((3 * 37 + i) * 32 + d)];
        const double ratio = accumulators.values[static_cast<std::size_t>(i * 96 + 64 + d)] /
                             sums.values[static_cast<std::size_t>(i * 3 + 2)];
        EXPECT_NEAR(ratio, output, 1e-12 + 1e-12 * std::abs(output));
      }
    }
  }
}

TEST(AttentionStages, WhatIsHiddenMayBeLeftOut) {
  const Attention attention(37, 1);
  const auto scores = attention.stage("attention_scores");
  EXPECT_FALSE(scores.skippable[5 * 37 + 5]);
  EXPECT_TRUE(scores.skippable[5 * 37 + 6]);
  const auto sums = attention.stage("attention_running_sum");
  EXPECT_FALSE(sums.skippable[15 * 3 + 0]);
  EXPECT_TRUE(sums.skippable[15 * 3 + 1]);
  EXPECT_FALSE(sums.skippable[16 * 3 + 1]);
}

TEST(AttentionStages, EveryHypothesisIsAMistakeOnSomeInputs) {
  const model::Tolerance tolerance{"t", 1e-4, 1e-3, {}};
  const std::vector<Attention> data{{37, 0}, {37, 1}, {37, 0, "negative_logits"}};
  for (const std::string& name : evo::tests::known().stage_formula_names()) {
    for (const auto& hypothesis : evo::tests::known().find_stage_formula(name)->hypotheses) {
      bool shows = false;
      for (const Attention& attention : data) {
        const auto correct = attention.stage(name), mistaken = attention.stage(name, hypothesis.name);
        shows = shows || !check_stage(correct, mistaken.values, {}, tolerance).correct;
      }
      EXPECT_TRUE(shows) << name << " " << hypothesis.name;
    }
  }
}

TEST(AttentionStages, ASliceThatIsNotThereIsAnError) {
  const Attention attention(5, 0);
  const auto* formula = evo::tests::known().find_stage_formula("attention_scores");
  EXPECT_FALSE(formula->compute({attention.bound, attention.inputs, 4, 16}, {}).has_value());
}

}  // namespace
}  // namespace evo::diagnose
