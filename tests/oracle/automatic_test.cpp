// tolerance: auto. Right kernels pass on every set that a run shows, in whatever order they sum; kernels that
// sum in halves, lose a term or are off by one do not.
#include "evaluators/oracle/automatic.hpp"

#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

/// A sum as kernels make it: one after the other, or in `parts` partial sums; in halves, or without its last
/// term.
struct Sum {
  std::size_t parts = 1;
  bool halves = false, drop_last = false;
  std::size_t first = 0;  ///< 1: off by one

  [[nodiscard]] float of(std::size_t terms, const std::function<float(std::size_t)>& term) const {
    std::vector<float> partial(parts);
    const auto add = [&](float& sum, float value) {
      sum += value;
      if (halves) sum = static_cast<float>(double_from_half(half_from_double(sum)));
    };
    for (std::size_t k = 0; k + (drop_last ? 1 : 0) < terms; ++k)
      add(partial[k % parts], term(std::min(k + first, terms - 1)));
    float sum = 0;
    for (const float value : partial) add(sum, value);
    return sum;
  }
};

struct Subject {
  std::vector<std::string> formula;
  model::Case bound;
  /// What a kernel makes of the inputs (each as floats), with its sums made by `sum`.
  std::function<std::vector<float>(const std::vector<std::vector<float>>&, const Sum&)> kernel;
};

constexpr std::size_t m = 12, n = 20, k = 300, rows = 9, columns = 500;

Subject product(DType dtype) {
  Subject subject;
  subject.formula = {"C[i, j] = sum(l, A[i, l] * B[l, j])"};
  subject.bound.arguments = {tests::array_argument("A", ArgumentRole::input, dtype, {m, k}),
                             tests::array_argument("B", ArgumentRole::input, dtype, {k, n}),
                             tests::array_argument("C", ArgumentRole::output, dtype, {m, n})};
  subject.bound.flops = 2 * m * n * k;
  subject.kernel = [](const auto& in, const Sum& sum) {
    std::vector<float> out;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        out.push_back(sum.of(k, [&](std::size_t l) { return in[0][i * k + l] * in[1][l * n + j]; }));
    }
    return out;
  };
  return subject;
}

Subject over_rows(const std::vector<std::string>& formula, DType dtype, std::vector<std::int64_t> shape) {
  Subject subject;
  subject.formula = formula;
  subject.bound.arguments = {tests::array_argument("x", ArgumentRole::input, dtype, {rows, columns}),
                             tests::array_argument("y", ArgumentRole::output, dtype, std::move(shape))};
  subject.bound.flops = 3 * rows * columns;
  return subject;
}

Subject row_sums() {
  Subject subject = over_rows({"y[i] = sum(j, x[i, j])"}, DType::f32, {rows});
  subject.kernel = [](const auto& in, const Sum& sum) {
    std::vector<float> out;
    for (std::size_t i = 0; i < rows; ++i)
      out.push_back(sum.of(columns, [&](std::size_t j) { return in[0][i * columns + j]; }));
    return out;
  };
  return subject;
}

Subject softmax(DType dtype) {
  Subject subject = over_rows(
      {"M[i] = max(j, x[i, j])", "E[i, j] = exp(x[i, j] - M[i])", "y[i, j] = E[i, j] / sum(l, E[i, l])"},
      dtype, {rows, columns});
  subject.kernel = [](const auto& in, const Sum& sum) {
    std::vector<float> out;
    for (std::size_t i = 0; i < rows; ++i) {
      const float* x = in[0].data() + i * columns;
      const float most = *std::max_element(x, x + columns);
      const float total = sum.of(columns, [&](std::size_t j) { return std::exp(x[j] - most); });
      for (std::size_t j = 0; j < columns; ++j) out.push_back(std::exp(x[j] - most) * (1 / total));
    }
    return out;
  };
  return subject;
}

Subject layer_norm(DType dtype) {
  Subject subject = over_rows({"M[i] = sum(j, x[i, j]) / 500", "V[i] = sum(j, (x[i, j] - M[i]) ** 2) / 500",
                               "y[i, j] = (x[i, j] - M[i]) * rsqrt(V[i] + 1e-5)"},
                              dtype, {rows, columns});
  subject.kernel = [](const auto& in, const Sum& sum) {
    std::vector<float> out;
    for (std::size_t i = 0; i < rows; ++i) {
      const float* x = in[0].data() + i * columns;
      const float mean = sum.of(columns, [&](std::size_t j) { return x[j]; }) / columns;
      const float variance =
          sum.of(columns, [&](std::size_t j) { return (x[j] - mean) * (x[j] - mean); }) / columns;
      const float scale = 1 / std::sqrt(variance + 1e-5F);
      for (std::size_t j = 0; j < columns; ++j) out.push_back((x[j] - mean) * scale);
    }
    return out;
  };
  return subject;
}

/// On how many of the sets a kernel with these sums passes; `all` gets the number of sets that count.
std::size_t passes(const Subject& subject, const Sum& sum, std::size_t& all, std::string& refused,
                   bool declared_only = false) {
  Catalogue known;
  std::vector<model::OracleStatement> texts;
  for (const std::string& text : subject.formula) texts.push_back({text, "p", 1, 1});
  known.add("problem", std::make_shared<ExpressionOracle>(texts));
  ReferenceCache cache(known);
  const DType dtype = subject.bound.arguments.back().dtype;
  model::Tolerance tolerance{"auto", 1, 1e6, {}, model::ReferenceFactor{2, 0}};
  tolerance.automatic = true;
  tolerance.backward_error = dtype == DType::f16 ? 1e-3 : 4e-6;
  std::vector<model::Argument> arguments;
  for (const model::BoundArgument& argument : subject.bound.arguments)
    arguments.push_back({argument.name, argument.role, argument.dtype, {}, {}, {}});
  std::vector<model::InputSet> sets{{"normal", "normal", {}}, {"shifted", "normal", {{"mean", 3}}}};
  if (!declared_only) {
    for (model::InputSet& set : structured_sets(arguments)) sets.push_back(std::move(set));
  }
  std::size_t passed = 0;
  all = 0;
  for (const model::InputSet& set : sets) {
    const bool conditioned = rules_of(known, set).conditioned;
    const auto reference =
        cache.get("problem", subject.bound, set, {.seed = 3}, true,
                  conditioned ? tolerance.backward_error : rounding_of_inputs(subject.bound));
    if (!reference->in_domain) continue;
    ++all;
    std::vector<std::vector<float>> in;
    for (std::size_t i = 0; i + 1 < subject.bound.arguments.size(); ++i) {
      const std::vector<double> values = load_array(subject.bound.arguments[i], reference->inputs[i]);
      in.emplace_back(values.begin(), values.end());
    }
    const std::vector<float> out = subject.kernel(in, sum);
    const std::size_t index = subject.bound.arguments.size() - 1;
    const model::BoundArgument& output = subject.bound.arguments[index];
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer_bytes(output)));
    for (std::size_t e = 0; e < out.size(); ++e)
      store_element(output.dtype, out[e],
                    bytes.data() + static_cast<std::int64_t>(e) * model::size_of(output.dtype));
    CompareOptions options = options_for(tolerance, *reference, index);
    if (conditioned) options.relative = 0x1p-24 * static_cast<double>(columns);  // gates/grown_bounds.hpp
    const Comparison result = compare(output, bytes, reference->outputs[index], options);
    if (result.pass) {
      ++passed;
    } else {
      refused += set.name + ": " + result.text(output.name) + "\n";
    }
  }
  return passed;
}

struct AutomaticTolerance : ::testing::TestWithParam<std::pair<const char*, Subject>> {};

TEST_P(AutomaticTolerance, RightKernelsPassInEveryOrder) {
  for (const std::size_t parts : {1, 4, 32, 256}) {
    std::size_t all = 0;
    std::string refused;
    EXPECT_EQ(passes(GetParam().second, {parts}, all, refused), all) << parts << " partial sums\n" << refused;
    EXPECT_GT(all, 8U);
  }
}

TEST_P(AutomaticTolerance, WrongKernelsAreRefused) {
  const auto declared = [&](const Sum& sum) {
    std::size_t all = 0;
    std::string refused;
    return passes(GetParam().second, sum, all, refused, true);
  };
  EXPECT_EQ(declared({1, true}), 0U) << "sums in halves";
  EXPECT_EQ(declared({32, true}), 0U) << "partial sums in halves";
  EXPECT_EQ(declared({1, false, true}), 0U) << "the last term is lost";
  EXPECT_EQ(declared({1, false, false, 1}), 0U) << "off by one";
}

INSTANTIATE_TEST_SUITE_P(Kernels, AutomaticTolerance,
                         ::testing::Values(std::pair{"product", product(DType::f32)},
                                           std::pair{"row_sums", row_sums()},
                                           std::pair{"softmax", softmax(DType::f32)},
                                           std::pair{"layer_norm", layer_norm(DType::f32)}),
                         [](const auto& one) { return one.param.first; });

/// Halves in and out: rounding what is stored hides the least. A norm of 500 terms moves by less than that
/// when one is lost, which the structured sets show.
TEST(AutomaticTolerances, OfHalves) {
  for (const Subject& subject : {product(DType::f16), softmax(DType::f16), layer_norm(DType::f16)}) {
    std::size_t all = 0;
    std::string refused;
    EXPECT_EQ(passes(subject, {32}, all, refused), all) << refused;
    EXPECT_LT(passes(subject, {1, false, true}, all, refused), all);
    EXPECT_LT(passes(subject, {1, true}, all, refused), all);
  }
}

/// Who declares that kernels compute in f16 grants the roundings of f16, to outputs in float, too; nobody is
/// granted a lost term for that, nor the roundings where nobody has declared them.
TEST(AutomaticTolerances, ComputingInHalvesIsGrantedToWhomSomebodyDeclaresIt) {
  for (Subject subject : {product(DType::f16), product(DType::f32), softmax(DType::f16), row_sums()}) {
    std::size_t all = 0;
    std::string refused;
    EXPECT_LT(passes(subject, {1, true}, all, refused, true), all);
    subject.bound.computes_in = DType::f16;
    refused.clear();
    for (const std::size_t parts : {8, 32})
      EXPECT_EQ(passes(subject, {parts, true}, all, refused), all) << parts << " partial sums\n" << refused;
    EXPECT_GT(all, 3U) << "some sets that nobody declared stay within f16";
    EXPECT_LT(passes(subject, {1, false, true}, all, refused), all) << "the last term is lost";
    EXPECT_LT(passes(subject, {1, false, false, 1}, all, refused), all) << "off by one";
  }
}

/// Numbers whose squares leave f16 are no data for a kernel that computes in it.
TEST(AutomaticTolerances, HugeNumbersAreNotAskedOfHalves) {
  Subject subject = product(DType::f32);
  std::size_t of_float = 0, of_halves = 0;
  std::string refused;
  (void)passes(subject, {32}, of_float, refused);
  subject.bound.computes_in = DType::f16;
  (void)passes(subject, {32}, of_halves, refused);
  EXPECT_LT(of_halves, of_float);
}

/// A kernel may multiply numbers on its way to an answer that stays small.
TEST(AutomaticTolerances, NumbersWhoseSquareLeavesHalvesAreNotAskedOfThemThoughTheAnswerFits) {
  Catalogue known;
  known.add("problem", std::make_shared<ExpressionOracle>(
                           std::vector<model::OracleStatement>{{"y[i] = 2 * x[i]", "p", 1, 1}}));
  const Oracle& oracle = *known.find_oracle("problem");
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {40}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {40})};
  bound.flops = 40;
  bound.computes_in = DType::f16;
  const auto is_asked = [&](double value) {
    const auto inputs =
        make_inputs(known, bound, {"large", "constant", {{"value", value}}}, {.seed = 1}).value();
    Reference reference;
    reference.outputs = oracle.compute(bound, inputs).value();
    return measure_automatic(oracle, bound, inputs, reference, {.undeclared = true}).has_value();
  };
  EXPECT_TRUE(is_asked(100));
  EXPECT_FALSE(is_asked(3000));
}

TEST(AutomaticTolerances, IntegersMustBeEqual) {
  Subject subject = over_rows({"y[i] = sum(j, x[i, j])"}, DType::i32, {rows});
  Catalogue known;
  known.add("problem", std::make_shared<ExpressionOracle>(
                           std::vector<model::OracleStatement>{{subject.formula.front(), "p", 1, 1}}));
  ReferenceCache cache(known);
  const auto reference = cache.get("problem", subject.bound, {"normal", "normal", {}}, {.seed = 1}, true, 0);
  EXPECT_EQ(reference->plain_errors.back().rms, 0);
  EXPECT_EQ(reference->plain_errors.back().largest, 0);
  // Of floating-point numbers, too, and whatever a kernel computes in.
  Subject counted = over_rows({"y[i] = sum(j, x[i, j])"}, DType::f32, {rows});
  counted.bound.arguments.back().dtype = DType::i32;
  const auto moved_at_most = [&] {
    return cache.get("problem", counted.bound, {"large", "large", {}}, {.seed = 1}, true, 2e-3)
        ->conditioning.back()
        .largest;
  };
  EXPECT_GT(moved_at_most(), 0);
  counted.bound.computes_in = DType::f16;
  EXPECT_EQ(moved_at_most(), 0);
}

/// As a kernel of a problem's own, which does not say how many terms it sums.
class WithoutDepth final : public ComputedOracle {
 public:
  explicit WithoutDepth(std::vector<model::OracleStatement> texts) : formula_(std::move(texts)) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    return formula_.compute(bound, inputs);
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case& bound, const InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override {
    return formula_.compute_plain(bound, inputs, rows);
  }

 private:
  ExpressionOracle formula_;
};

/// The plain form may be exact by luck where an output has one element: what the floor grants grows with that
/// output's own terms, not with those of the largest.
TEST(AutomaticTolerances, AFewSumsBesideManyElementsHaveTermsOfTheirOwn) {
  Catalogue known;
  const std::vector<model::OracleStatement> texts{{"s[i] = sum(j, x[i, j])", "p", 1, 1},
                                                  {"y[i, j] = x[i, j] * 2", "p", 2, 1}};
  known.add("problem", std::make_shared<WithoutDepth>(texts));
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {1, 4096}),
                     tests::array_argument("s", ArgumentRole::output, DType::f32, {1}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {1, 4096})};
  bound.flops = 4096;
  ReferenceCache cache(known);
  const auto reference = cache.get("problem", bound, {"ones", "ones", {}}, {.seed = 1}, true, 0);
  EXPECT_GT(reference->plain_errors[1].rms, 4096 * 0x1p-24 * 10) << "a root of 2048 terms, halved";
  EXPECT_LT(reference->plain_errors[2].rms, 2 * 0x1p-24 * 4);
}

/// x, in float as well; by another way of computing it a share more: an angle that is rounded, say.
class OffByAnotherWay final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    return ReferenceOutputs{{}, load_array(bound.arguments[0], inputs[0])};
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    return compute(bound, inputs).value();
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_otherwise(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    ReferenceOutputs off = compute(bound, inputs).value();
    for (double& value : off[1]) value *= 1 + off_;
    return off;
  }
  double off_ = 1e-4;
};

TEST(AutomaticTolerances, AnotherWayToTheAnswerMayCostMore) {
  Catalogue known;
  const auto computed = std::make_shared<OffByAnotherWay>();
  known.add("problem", computed);
  const Oracle& oracle = *known.find_oracle("problem");
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {40}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {40})};
  bound.flops = 40;
  const auto inputs = make_inputs(known, bound, {"ones", "ones", {}}, {.seed = 1}).value();
  Reference reference;
  reference.outputs = oracle.compute(bound, inputs).value();
  const auto allowed = [&] { return measure_automatic(oracle, bound, inputs, reference, {}).value()[1]; };
  EXPECT_GT(allowed().rms, 0.99e-4);
  EXPECT_LE(allowed().largest, 1.01e-4) << "and no more";
  computed->off_ = 0.1;
  EXPECT_LT(allowed().rms, 1e-6) << "what loses the answer is no way to it";
  computed->off_ = 0;
  EXPECT_LT(allowed().rms, 1e-6);
}

/// A mask's -FLT_MAX says nothing of the other elements: they are judged as without it.
TEST(AutomaticTolerances, TheLargestNumberOfTheTypeIsAMark) {
  Catalogue known;
  known.add("problem", std::make_shared<WithoutDepth>(std::vector<model::OracleStatement>{
                           {"y[i] = where(i % 2 == 0, x[i] * 0.7, -3.4028234663852886e38)", "p", 1, 1}}));
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {300}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {300})};
  bound.flops = 600;
  ReferenceCache cache(known);
  const auto reference = cache.get("problem", bound, {"normal", "normal", {}}, {.seed = 1}, true, 0);
  ASSERT_NE(reference, nullptr);
  EXPECT_LT(reference->plain_errors[1].rms, 1e-6);
  EXPECT_LT(reference->plain_errors[1].largest, 1e-6);
}

/// Nobody declared them: where float has no answer on the way, no kernel is asked.
TEST(AutomaticTolerances, WhatIsNotFiniteInFloatIsAskedOfNobodyUnlessItIsDeclared) {
  Catalogue known;
  known.add("problem", std::make_shared<ExpressionOracle>(
                           std::vector<model::OracleStatement>{{"y[i] = x[i] * x[i] * 1e-30", "p", 1, 1}}));
  const Oracle& oracle = *known.find_oracle("problem");
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {40}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {40})};
  bound.flops = 80;
  const auto inputs =
      make_inputs(known, bound, {"large", "constant", {{"value", 1e25}}}, {.seed = 1}).value();
  Reference reference;
  reference.outputs = oracle.compute(bound, inputs).value();
  EXPECT_NEAR(reference.outputs[1][0], 1e20, 1e14);
  EXPECT_TRUE(measure_automatic(oracle, bound, inputs, reference, {}));
  EXPECT_FALSE(measure_automatic(oracle, bound, inputs, reference, {.undeclared = true}));
}

/// In double, a digit of fifteen that is lost is seen; some tens of roundings are granted.
TEST(AutomaticTolerances, OfDoublesAreRoundingsOfDoubles) {
  Catalogue known;
  known.add("problem", std::make_shared<WithoutDepth>(
                           std::vector<model::OracleStatement>{{"y[i] = x[i] * x[i] + 0.1", "p", 1, 1}}));
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f64, {300}),
                     tests::array_argument("y", ArgumentRole::output, DType::f64, {300})};
  bound.flops = 600;
  ReferenceCache cache(known);
  const auto reference = cache.get("problem", bound, {"normal", "normal", {}}, {.seed = 1}, true, 0);
  double squares = 0;
  for (const double value : reference->outputs[1]) squares += value * value / 300;
  EXPECT_LT(reference->plain_errors[1].rms, 5e-14 * std::sqrt(squares)) << "twice that is allowed";
  EXPECT_GT(reference->plain_errors[1].rms, 32 * 0x1p-53 * std::sqrt(squares));
}

}  // namespace
}  // namespace evo::evaluators::oracle
