// Inputs whose answers are all small, and where they are asked.
#include "evaluators/oracle/tails.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

std::vector<model::Argument> arguments_of_types(DType input, DType output) {
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = input;
  arguments[1].name = "y";
  arguments[1].role = ArgumentRole::output;
  arguments[1].dtype = output;
  return arguments;
}

model::InputSet about(double centre) {
  return {"tail", std::string(tail_kind), {{"argument", 0}, {"about", centre}, {"undeclared", 1}}};
}

struct Asked {
  std::shared_ptr<const ReferenceData> reference;
  model::Case bound;

  Asked(const char* formula, const model::InputSet& set, DType output = DType::f32) {
    bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {200}),
                       tests::array_argument("y", ArgumentRole::output, output, {200})};
    Catalogue known;
    known.add("problem",
              std::make_shared<ExpressionOracle>(std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
    ReferenceCache cache(known);
    reference = cache.get("problem", bound, set, {.seed = 3}, true, 4e-6);
  }
  [[nodiscard]] bool passes(const std::function<float(float)>& kernel) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer_bytes(bound.arguments[1])));
    const std::vector<double> in = load_array(bound.arguments[0], reference->inputs[0]);
    for (std::size_t e = 0; e < in.size(); ++e)
      store_element(DType::f32, kernel(static_cast<float>(in[e])), bytes.data() + 4 * e);
    model::Tolerance tolerance{"auto", 1, 1e6, {}, model::ReferenceFactor{2, 0}};
    tolerance.automatic = true;
    return compare(bound.arguments[1], bytes, reference->outputs[1], options_for(tolerance, *reference, 1))
        .pass;
  }
};

constexpr const char* logistic = "y[i] = exp(x[i]) / (1 + exp(x[i]))";

TEST(Tails, ShowWhatLosesEveryDigitOfASmallAnswer) {
  const Asked asked(logistic, about(-16));
  ASSERT_TRUE(asked.reference->in_domain);
  EXPECT_TRUE(asked.passes([](float x) { return std::exp(x) / (1 + std::exp(x)); }));
  EXPECT_TRUE(asked.passes([](float x) { return 1 / (1 + std::exp(-x)); }));
  EXPECT_TRUE(asked.passes([](float x) { return std::exp2(x * 1.44269504F); })) << "as __expf() has it";
  EXPECT_FALSE(asked.passes([](float x) { return 1 - 1 / (1 + std::exp(x)); }));
  EXPECT_FALSE(asked.passes([](float x) { return 0.5F * (1 + std::tanh(0.5F * x)); }));
  EXPECT_FALSE(asked.passes([](float) { return 0.0F; }));
}

TEST(Tails, AreAskedWhereTheReferenceKeepsTheDigitsItself) {
  EXPECT_TRUE(Asked("y[i] = erfc(x[i])", about(5)).reference->in_domain);
  EXPECT_FALSE(Asked("y[i] = 1 - erf(x[i])", about(5)).reference->in_domain);
  EXPECT_FALSE(Asked("y[i] = 1 - 1 / (1 + exp(x[i]))", about(-16)).reference->in_domain);
  EXPECT_FALSE(Asked("y[i] = 1 - 1 / (1 + exp(x[i]))", about(-5)).reference->in_domain) << "some digits left";
  EXPECT_FALSE(Asked("y[i] = 1 - tanh(x[i]) * tanh(x[i])", about(16)).reference->in_domain)
      << "that it is 0 in float says nothing of other kernels";
  EXPECT_FALSE(Asked("y[i] = erfc(x[i])", about(16)).reference->in_domain) << "nothing in float";
  EXPECT_FALSE(Asked("y[i] = 1 + tanh(-x[i] * x[i])", about(16)).reference->in_domain) << "0, in double, too";
  EXPECT_TRUE(Asked("y[i] = x[i] + 1", about(-5)).reference->in_domain);
}

TEST(Tails, LieCloseTogether) {
  const Asked asked(logistic, about(-16));
  for (const double value : load_array(asked.bound.arguments[0], asked.reference->inputs[0]))
    EXPECT_NEAR(value, -16, 1);
}

TEST(Tails, OfEachInputApartAndOfNoShortOutput) {
  const auto sets = tail_sets(arguments_of_types(DType::f16, DType::f32));
  std::set<double> centres;
  for (const model::InputSet& set : sets) {
    EXPECT_TRUE(is_of_tails(set));
    centres.insert(parameter(set, "about", 0));
  }
  EXPECT_EQ(centres, (std::set<double>{-16, -5, 5, 16}));
  EXPECT_TRUE(tail_sets(arguments_of_types(DType::f32, DType::f16)).empty());
  EXPECT_TRUE(tail_sets(arguments_of_types(DType::f32, DType::i32)).empty());
  EXPECT_TRUE(tail_sets(arguments_of_types(DType::i32, DType::f32)).empty());
  std::vector<model::Argument> filled = arguments_of_types(DType::f32, DType::f32);
  filled[0].fill.emplace();
  filled[0].fill->form = model::FillForm::uniform;
  filled[0].fill->numbers = {{{}, -3}, {{}, 3}};
  ASSERT_EQ(tail_sets(filled).size(), 1U);
  EXPECT_EQ(tail_sets(filled)[0].kind, near_zero_kind);
  std::vector<model::Argument> both = filled;
  both.push_back(filled[0]);
  const auto of_both = tail_sets(both);
  ASSERT_EQ(of_both.size(), 3U) << "each apart, and both at once";
  EXPECT_EQ(of_both[2].kind, near_zero_kind);
  EXPECT_EQ(parameter(of_both[2], "argument", -1), -1);
  filled[0].fill->numbers[0].number = 1;
  EXPECT_TRUE(tail_sets(filled).empty()) << "0 is not between them";
}

TEST(Tails, OnlyAboutWhatRoundingExplains) {
  EXPECT_TRUE(keeps_digits({3, 3}, {1, 1}));
  EXPECT_FALSE(keeps_digits({5, 1}, {1, 1}));
  EXPECT_FALSE(keeps_digits({1, 5}, {1, 1}));
}

}  // namespace
}  // namespace evo::evaluators::oracle
