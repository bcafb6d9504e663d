#include "evaluators/oracle/input_sets.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"
#include "packs/attention/references.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

model::InputSet set_of(const std::string& kind) {
  return {kind, kind, {}};
}

double logit(const std::vector<double>& q, const std::vector<double>& k, std::size_t i, std::size_t j,
             std::size_t dim) {
  double sum = 0;
  for (std::size_t d = 0; d < dim; ++d) sum += q[i * dim + d] * k[j * dim + d];
  return sum;
}

TEST(InputSets, DependOnSeedCaseSetArgumentAndRotationOnly) {
  const model::Case bound = tests::attention_case(1, 2, 9, 16, true);
  for (const std::string& kind : evo::tests::known().input_kind_names()) {
    if (kind == "ones" || kind == "all_zero" || kind == "equal" || kind == "constant")
      continue;  // the same whatever is drawn, or for all
    const auto first = make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = 7});
    ASSERT_TRUE(first.has_value()) << kind;
    EXPECT_EQ(*first, *make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = 7})) << kind;
    EXPECT_NE(*first, *make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = 8})) << kind;
    EXPECT_NE(*first, *make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = 7, .rotation = 1}))
        << kind;
    EXPECT_NE((*first)[0], (*first)[1]) << kind;
    EXPECT_TRUE((*first)[3].empty()) << "outputs are not inputs";
    model::Case other = bound;
    other.name = "other";
    EXPECT_NE(*first, *make_inputs(evo::tests::known(), other, set_of(kind), {.seed = 7})) << kind;
  }
}

TEST(InputSets, WhatIsInAVariableOfTheModuleIsTheSameInEveryRotation) {
  model::Case bound = tests::vector_add_case(64);
  bound.launch.symbols = {{1, "table"}};
  for (const char* kind : {"normal", "rising", "zeros"}) {
    const auto make = [&](std::uint64_t seed, std::uint64_t rotation) {
      return *make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = seed, .rotation = rotation});
    };
    EXPECT_EQ(make(7, 0)[1], make(7, 3)[1]) << kind;
    EXPECT_NE(make(7, 0)[0], make(7, 3)[0]) << kind;
    EXPECT_NE(make(7, 0)[1], make(8, 0)[1]) << kind;
  }
}

TEST(InputSets, AreTheNumbersOfOneStreamInOrder) {
  const model::Case bound = tests::vector_add_case(200000);  // several threads' worth
  const auto inputs = make_inputs(evo::tests::known(), bound, set_of("normal"), {.seed = 9, .rotation = 2});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string purpose = "input/normal/" + bound.name + "/" + bound.arguments[i].name;
    model::RandomStream stream({.seed = 9, .generation = 2, .slot = i, .purpose = purpose});
    for (const double value : load_array(bound.arguments[i], (*inputs)[i]))
      ASSERT_EQ(value, static_cast<float>(stream.normal()));
  }
}

TEST(InputSets, GapsHoldNaNs) {
  model::Case bound = tests::vector_add_case(4);
  bound.arguments[0].strides = {3};
  const auto inputs = make_inputs(evo::tests::known(), bound, set_of("normal"), {.seed = 1});
  ASSERT_EQ((*inputs)[0].size(), 40U);
  for (std::int64_t element = 0; element < 10; ++element) {
    const double value = load_element(model::DType::f32, (*inputs)[0].data() + element * 4);
    EXPECT_EQ(std::isnan(value), element % 3 != 0) << element;
  }
}

TEST(InputSets, NormalDataHasTheMomentsAskedFor) {
  const model::Case bound = tests::vector_add_case(20000);
  const auto inputs = make_inputs(evo::tests::known(), bound,
                                  {"shifted", "normal", {{"mean", 3}, {"deviation", 0.5}}}, {.seed = 4});
  const auto values = load_array(bound.arguments[0], (*inputs)[0]);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += (value - 3) * (value - 3);
  }
  EXPECT_NEAR(sum / 20000, 3, 0.02);
  EXPECT_NEAR(std::sqrt(squares / 20000), 0.5, 0.02);
}

TEST(InputSets, KindsDoWhatTheySay) {
  const model::Case bound = tests::attention_case(1, 1, 64, 64, false);
  const auto load = [&](const std::string& kind, std::size_t argument) {
    return load_array(bound.arguments[argument],
                      (*make_inputs(evo::tests::known(), bound, set_of(kind), {.seed = 5}))[argument]);
  };
  const auto norm = [](const std::vector<double>& values, std::size_t row) {
    double sum = 0;
    for (std::size_t d = 0; d < 64; ++d) sum += values[row * 64 + d] * values[row * 64 + d];
    return std::sqrt(sum);
  };
  EXPECT_GT(norm(load("large_logits", 0), 3), 5 * norm(load("normal", 0), 3));
  EXPECT_GT(norm(load("key_norm_rising", 1), 63), 8 * norm(load("key_norm_rising", 1), 0));
  EXPECT_GT(norm(load("key_norm_falling", 1), 0), 8 * norm(load("key_norm_falling", 1), 63));
  for (const double value : load("ones_v", 2)) EXPECT_EQ(value, 1);
  for (const auto& [kind, highest] :
       {std::pair<std::string, double>{"negative_logits", -1000}, {"extreme_logits", -9e4}}) {
    const auto q = load(kind, 0);
    const auto k = load(kind, 1);
    double least = 1e9, most = -1e9;
    for (std::size_t j = 0; j < 64; ++j) {
      EXPECT_LT(logit(q, k, 2, j, 64), highest) << kind;
      least = std::min(least, logit(q, k, 2, j, 64) / 8);
      most = std::max(most, logit(q, k, 2, j, 64) / 8);
    }
    EXPECT_GT(most - least, 2) << kind << ": the softmax must not be flat";
  }
}

class ProbeInputs : public ::testing::TestWithParam<std::tuple<bool, std::int64_t>> {};

// In any arithmetic with at least fp16's precision, each row of O is the row of V that its query picked out.
TEST_P(ProbeInputs, ReferenceIsARowOfV) {
  const auto [causal, dim] = GetParam();
  const model::Case bound = tests::attention_case(1, 2, 70, dim, causal);
  const auto inputs = make_inputs(evo::tests::known(), bound, set_of("permutation_probe"), {.seed = 6});
  ASSERT_TRUE(inputs.has_value());
  const auto reference = packs::attention::attention_forward(bound, *inputs);
  const auto v = load_array(bound.arguments[2], (*inputs)[2]);
  const auto q = load_array(bound.arguments[0], (*inputs)[0]);
  const auto k = load_array(bound.arguments[1], (*inputs)[1]);
  const auto width = static_cast<std::size_t>(dim);
  std::size_t other_than_own = 0;
  for (std::size_t row = 0; row < 140; ++row) {
    const std::size_t head = row / 70;
    std::size_t target = head * 70;
    for (std::size_t j = head * 70; j < (head + 1) * 70; ++j) {
      if (logit(q, k, row, j, width) > logit(q, k, row, target, width)) target = j;
    }
    if (target != row) ++other_than_own;
    EXPECT_TRUE(!causal || target <= row);
    for (std::size_t d = 0; d < width; ++d) {
      EXPECT_EQ(half_from_double((*reference)[3][row * width + d]), half_from_double(v[target * width + d]));
      EXPECT_NEAR((*reference)[3][row * width + d], v[target * width + d], 1e-11);
    }
  }
  EXPECT_GT(other_than_own, 100U) << "an identity kernel must not pass";
}

INSTANTIATE_TEST_SUITE_P(CausalAndWidth, ProbeInputs,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(32, 64, 128)));

TEST(ShiftProbe, AMaskThatIsOffByOneShows) {
  const model::Case bound = tests::attention_case(1, 1, 40, 64, true);
  const auto inputs = make_inputs(evo::tests::known(), bound, set_of("shift_probe"), {.seed = 6});
  ASSERT_TRUE(inputs.has_value());
  const auto reference = packs::attention::attention_forward(bound, *inputs);
  const auto v = load_array(bound.arguments[2], (*inputs)[2]);
  for (std::size_t i = 0; i + 1 < 40; ++i) {  // what j <= i + 1 would give
    double difference = 0;
    for (std::size_t d = 0; d < 64; ++d)
      difference += std::abs((*reference)[3][i * 64 + d] - v[(i + 1) * 64 + d]);
    EXPECT_GT(difference / 64, 0.5) << i;
  }
}

TEST(ShiftProbe, EachQueryPicksOutTheNextKey) {
  const model::Case bound = tests::attention_case(1, 1, 40, 64, false);
  const auto inputs = make_inputs(evo::tests::known(), bound, set_of("shift_probe"), {.seed = 6});
  ASSERT_TRUE(inputs.has_value());
  const auto q = load_array(bound.arguments[0], (*inputs)[0]);
  const auto k = load_array(bound.arguments[1], (*inputs)[1]);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      if (j == (i + 1) % 40) continue;
      EXPECT_LT(logit(q, k, i, j, 64), logit(q, k, i, (i + 1) % 40, 64)) << i << " " << j;
    }
  }
}

TEST(InputSets, RefusalsNameWhatIsWrong) {
  const model::Case add = tests::vector_add_case(4);
  const auto unknown = make_inputs(evo::tests::known(), add, {"mine", "gaussian", {}}, {});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("gaussian"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("normal"), std::string::npos);
  for (const char* kind :
       {"large_logits", "ones_v", "key_norm_rising", "negative_logits", "permutation_probe"}) {
    EXPECT_FALSE(make_inputs(evo::tests::known(), add, set_of(kind), {}).has_value()) << kind;
  }
  const auto cramped = make_inputs(evo::tests::known(), tests::attention_case(1, 1, 40, 4, false),
                                   set_of("permutation_probe"), {});
  ASSERT_FALSE(cramped.has_value());
  EXPECT_NE(cramped.error().message.find("too few codes"), std::string::npos);
}

TEST(InputSets, ExactnessAndToleranceCanBeSetPerSet) {
  const auto rules = [](const std::string& kind) { return rules_of(evo::tests::known(), set_of(kind)); };
  EXPECT_TRUE(rules("permutation_probe").exact);
  EXPECT_TRUE(rules("ones_v").exact);
  EXPECT_FALSE(rules("normal").exact);
  EXPECT_EQ(rules("permutation_probe").exact_ulps, 0U);
  EXPECT_EQ(rules("ones_v").exact_ulps, 1U);
  EXPECT_FALSE(rules_of(evo::tests::known(), {"ones", "ones_v", {{"exact", 0}}}).exact);
  EXPECT_EQ(rules("normal").tolerance_factor, 1);
  EXPECT_EQ(rules_of(evo::tests::known(), {"x", "normal", {{"tolerance_factor", 3}}}).tolerance_factor, 3);
}

TEST(InputSets, TransformsMakeTheNumbersOfTheFamiliesKinds) {
  const model::Case bound = tests::attention_case(1, 2, 9, 16, true);
  const auto made = [&](const model::InputSet& set) {
    return make_inputs(evo::tests::known(), bound, set, {.seed = 7}).value();
  };
  // The draft depends on the set's name and not on its kind.
  EXPECT_EQ(made({"large_logits", "scale", {{"argument", 0}, {"factor", 8}}}), made(set_of("large_logits")));
  EXPECT_EQ(made({"key_norm_rising", "ramp", {{"argument", 1}, {"axis", 2}}}),
            made(set_of("key_norm_rising")));
  EXPECT_EQ(made({"ones_v", "constant", {{"argument", 2}}}), made(set_of("ones_v")));
  EXPECT_EQ(made({"normal", "shift", {{"by", 3}}}), made({"normal", "normal", {{"mean", 3}}}));
}

TEST(InputSets, TransformsWantAnArgumentThatThereIs) {
  const model::Case bound = tests::attention_case(1, 2, 9, 16, true);
  const auto fails = [&](const model::InputSet& set) {
    return !make_inputs(evo::tests::known(), bound, set, {.seed = 7}).has_value();
  };
  for (const char* kind : {"scale", "ramp", "constant", "shift"})
    EXPECT_TRUE(fails({"s", kind, {{"argument", 3}}})) << kind << ": an output";
  EXPECT_TRUE(fails({"s", "ramp", {{"axis", 4}}}));
}

TEST(Catalogue, HasNoNameTwice) {
  Catalogue catalogue;
  EXPECT_EQ(catalogue.find_oracle("attention_forward"), nullptr) << "what is generic knows no family";
  EXPECT_NE(catalogue.find_oracle("vector_add"), nullptr);
  EXPECT_THROW(catalogue.add(generic_oracles(), {}, {}), std::logic_error);
  EXPECT_THROW(catalogue.add({}, generic_input_kinds(), {}), std::logic_error);
}

}  // namespace
}  // namespace evo::evaluators::oracle
