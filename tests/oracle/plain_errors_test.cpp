// The rule reference_factor: what the plain 16-bit implementation is, and what its error allows.
#include "evaluators/oracle/plain_errors.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "model/error.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t output_index = 3;  // of attention_case's arguments
constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const model::InputSet normal_set{"normal", "normal", {}};

const Oracle& attention() {
  return *evo::tests::known().find_oracle("attention_forward");
}

double to_half(double value) {
  return double_from_half(half_from_double(value));
}

/// A case with its inputs, reference and plain_errors.
struct Measured {
  explicit Measured(model::Case made, const model::InputSet& set = normal_set, std::uint64_t seed = 3,
                    double most_flops = no_bound)
      : bound(std::move(made)), inputs(make_inputs(evo::tests::known(), bound, set, {.seed = seed}).value()) {
    reference = make_reference(attention(), bound, inputs, 5, most_flops).value();
    reference.plain_errors = measure_plain(attention(), bound, inputs, reference).value();
  }
  /// The bytes of O with these values.
  [[nodiscard]] std::vector<std::byte> output(const std::vector<double>& values) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer_bytes(bound.arguments[output_index])),
                                 std::byte{0});
    const auto offsets = element_offsets(bound.arguments[output_index]);
    for (std::size_t i = 0; i < values.size(); ++i)
      store_element(bound.arguments[output_index].dtype, values[i],
                    &bytes[static_cast<std::size_t>(2 * offsets[i])]);
    return bytes;
  }
  [[nodiscard]] Comparison judge(const std::vector<std::byte>& bytes, double factor,
                                 double absolute = 0) const {
    const model::Tolerance tolerance{"2x", 1, 1e6, {}, model::ReferenceFactor{factor, absolute}};
    return compare(bound.arguments[output_index], bytes, reference.outputs[output_index],
                   options_for(tolerance, reference, output_index));
  }
  model::Case bound;
  InputBuffers inputs;
  Reference reference;
};

TEST(AttentionPlain, RoundsScoresWeightsAndOutputAndNothingElse) {
  const model::Case bound = tests::attention_case(1, 2, 21, 16, true);
  const auto inputs = make_inputs(evo::tests::known(), bound, normal_set, {.seed = 3}).value();
  const auto q = load_array(bound.arguments[0], inputs[0]);
  const auto k = load_array(bound.arguments[1], inputs[1]);
  const auto v = load_array(bound.arguments[2], inputs[2]);
  const double scale = static_cast<float>(bound.arguments[5].scalar_float);
  const auto forms = attention().compute_plain(bound, inputs, {}).value();
  ASSERT_EQ(forms.size(), 2U);
  for (std::size_t form = 0; form < 2; ++form) {
    const double unit = form == 0 ? 1 : std::log2(std::exp(1.0));
    for (std::size_t row = 0; row < 42; ++row) {
      const std::size_t head = row / 21 * 21, seen = row % 21 + 1;
      std::vector<double> s(seen, 0.0);
      double top = -no_bound, sum = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        for (std::size_t e = 0; e < 16; ++e) s[j] += q[row * 16 + e] * k[(head + j) * 16 + e];
        s[j] = to_half(s[j] * scale * unit);
        top = std::max(top, s[j]);
      }
      for (double& value : s) sum += value = std::exp((value - top) / unit);
      for (std::size_t d = 0; d < 16; ++d) {
        double numerator = 0;
        for (std::size_t j = 0; j < seen; ++j) numerator += to_half(s[j]) * v[(head + j) * 16 + d];
        ASSERT_EQ(forms[form][output_index][row * 16 + d], to_half(numerator / sum))
            << form << " " << row << " " << d;
      }
    }
  }
}

TEST(AttentionPlain, IsAsCoarseAsTheTypeOfTheOutput) {
  model::Case bound = tests::attention_case(1, 1, 64, 16, false);
  const OutputErrors half = Measured(bound).reference.plain_errors[output_index];
  bound.arguments[output_index].dtype = model::DType::bf16;
  const OutputErrors bfloat = Measured(bound).reference.plain_errors[output_index];
  EXPECT_GT(half.rms, 0);
  EXPECT_GT(half.largest, half.rms);
  EXPECT_GT(bfloat.rms, 4 * half.rms);
  EXPECT_LT(bfloat.rms, 16 * half.rms);
}

TEST(AttentionPlain, StridesChangeNothing) {
  const Measured dense(tests::attention_case(2, 3, 33, 16, true, false));
  const Measured view(tests::attention_case(2, 3, 33, 16, true, true));
  EXPECT_EQ(dense.reference.plain_errors[output_index].rms, view.reference.plain_errors[output_index].rms);
  EXPECT_EQ(dense.reference.plain_errors[output_index].largest,
            view.reference.plain_errors[output_index].largest);
}

TEST(AttentionPlain, OfSampledRowsOnlyThoseAreMeasured) {
  model::Case bound = tests::attention_case(2, 3, 70, 16, false, true);
  bound.flops = 1e12;
  const Measured some(bound, normal_set, 3, 1e6);
  ASSERT_EQ(some.reference.rows.size(), static_cast<std::size_t>(fewest_rows));
  const auto whole = attention().compute_plain(bound, some.inputs, {}).value();
  double largest = 0, squares = 0;
  for (const ReferenceOutputs& form : whole) {
    double of_form = 0;
    for (std::size_t r = 0; r < some.reference.rows.size(); ++r) {
      for (std::size_t d = 0; d < 16; ++d) {
        const double error =
            std::abs(form[output_index][static_cast<std::size_t>(some.reference.rows[r]) * 16 + d] -
                     some.reference.outputs[output_index][r * 16 + d]);
        largest = std::max(largest, error);
        of_form += error * error;
      }
    }
    squares = std::max(squares, of_form);
  }
  EXPECT_DOUBLE_EQ(some.reference.plain_errors[output_index].largest, largest);
  EXPECT_DOUBLE_EQ(some.reference.plain_errors[output_index].rms,
                   std::sqrt(squares / static_cast<double>(some.reference.outputs[output_index].size())));
  // And rows without a reference still count as far as they can.
  auto bytes = some.output(whole[0][output_index]);
  EXPECT_TRUE(some.judge(bytes, 1).pass) << some.judge(bytes, 1).text("O");
  std::int64_t other = 1;
  while (std::binary_search(some.reference.rows.begin(), some.reference.rows.end(), other)) ++other;
  const auto offsets = element_offsets(bound.arguments[output_index]);
  store_element(model::DType::f16, not_a_number,
                &bytes[static_cast<std::size_t>(2 * offsets[static_cast<std::size_t>(other * 16)])]);
  EXPECT_EQ(some.judge(bytes, 16).reason, "non_finite");
}

TEST(AttentionPlain, WhatHasNoMeasureIsAnError) {
  const auto error = [](const Oracle& oracle, const model::Case& bound, const model::InputSet& set) {
    const auto inputs = make_inputs(evo::tests::known(), bound, set, {.seed = 3}).value();
    const auto reference = make_reference(oracle, bound, inputs, 5).value();
    const auto measured = measure_plain(oracle, bound, inputs, reference);
    return measured ? std::string("no error") : measured.error().text();
  };
  EXPECT_EQ(error(*evo::tests::known().find_oracle("vector_add"), tests::vector_add_case(8), normal_set),
            "no error")
      << "what has no plain implementation is measured by automatic.hpp";
  model::Case wide = tests::attention_case(1, 1, 8, 16, false);
  EXPECT_NE(error(attention(), wide, {"far", "negative_logits", {{"logit", -1e7}}}).find("NaN or infinity"),
            std::string::npos);
  wide.arguments[output_index].dtype = model::DType::f32;
  EXPECT_NE(error(attention(), wide, normal_set).find("f16 or bf16"), std::string::npos);
}

TEST(AttentionPlain, TheCacheKeepsItWithTheReference) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::attention_case(1, 2, 20, 16, false);
  const auto without = cache.get("attention_forward", bound, normal_set, {.seed = 1});
  const auto with = cache.get("attention_forward", bound, normal_set, {.seed = 1}, true);
  EXPECT_TRUE(without->plain_errors.empty());
  ASSERT_EQ(with->plain_errors.size(), bound.arguments.size());
  EXPECT_GT(with->plain_errors[output_index].rms, 0);
  EXPECT_EQ(with->outputs, without->outputs);
  EXPECT_EQ(cache.get("attention_forward", bound, normal_set, {.seed = 1}, true), with);
  EXPECT_EQ(cache.usage().computed, 2);
  const auto sums = cache.get("vector_add", tests::vector_add_case(8), normal_set, {.seed = 1}, true);
  EXPECT_GT(sums->plain_errors[2].rms, 1e-8);
  EXPECT_LT(sums->plain_errors[2].rms, 1e-6);
}

TEST(ReferenceFactor, WithoutAYardstickNothingIsJudged) {
  const Measured measured(tests::attention_case(1, 1, 8, 16, false));
  const model::Tolerance tolerance{"2x", 1, 1e6, {}, model::ReferenceFactor{2, 0}};
  Reference bare = measured.reference;
  bare.plain_errors.clear();
  EXPECT_THROW((void)options_for(tolerance, bare, output_index), model::Exception);
  CompareOptions options = options_for(tolerance, measured.reference, output_index);
  const auto exact = measured.output(measured.reference.outputs[output_index]);
  EXPECT_TRUE(compare(measured.bound.arguments[output_index], exact, measured.reference.outputs[output_index],
                      options)
                  .pass);
  options.plain_errors.reset();
  EXPECT_FALSE(compare(measured.bound.arguments[output_index], exact,
                       measured.reference.outputs[output_index], options)
                   .pass);
}

TEST(ReferenceFactor, NoSetWidensItsCeiling) {
  Measured measured(tests::attention_case(1, 1, 8, 16, false));
  measured.reference.rules = rules_of(evo::tests::known(), {"negative_logits", "negative_logits", {}});
  const model::Tolerance fixed{"fixed", 1e-3, 1e-2},
      moving{"2x", 1e-3, 1e-2, {}, model::ReferenceFactor{2, 0}};
  EXPECT_EQ(options_for(fixed, measured.reference, output_index).tolerance.relative_frobenius, 2e-3);
  EXPECT_EQ(options_for(moving, measured.reference, output_index).tolerance.relative_frobenius, 1e-3);
  EXPECT_EQ(options_for(moving, measured.reference, output_index).tolerance.max_abs_over_rms, 1e-2);
}

RC_GTEST_PROP(ReferenceFactor, ThePlainImplementationPassesItsOwnRule, ()) {
  const auto seq = *rc::gen::inRange<std::int64_t>(1, 70);
  const bool causal = *rc::gen::arbitrary<bool>();
  const char* kind = *rc::gen::element("normal", "large_logits", "negative_logits", "key_norm_rising");
  const Measured measured(tests::attention_case(1, 2, seq, 16, causal, *rc::gen::arbitrary<bool>()),
                          {kind, kind, {}}, *rc::gen::arbitrary<std::uint64_t>());
  const auto forms = attention().compute_plain(measured.bound, measured.inputs, {}).value();
  for (const ReferenceOutputs& form : forms) {
    // The sums of the comparison and of the measure differ in their last bits.
    const Comparison result = measured.judge(measured.output(form[output_index]), 1, 1e-12);
    RC_ASSERT(result.pass);
  }
  // And so does what is exact but for the output's type.
  RC_ASSERT(measured.judge(measured.output(measured.reference.outputs[output_index]), 1, 1e-12).pass);
}

/// f64, so that neither the type's rounding nor the quick look has a say.
struct Doubles {
  explicit Doubles(std::vector<double> errors_)
      : errors(std::move(errors_)),
        argument(tests::array_argument("c", model::ArgumentRole::output, model::DType::f64,
                                       {1, static_cast<std::int64_t>(errors.size())})) {
    for (std::size_t i = 0; i < errors.size(); ++i) reference.push_back(2 + std::sin(static_cast<double>(i)));
  }
  [[nodiscard]] Comparison judge(const model::Tolerance& tolerance, OutputErrors plain_errors,
                                 double shrink = 1) const {
    std::vector<std::byte> bytes(8 * errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i)
      store_element(model::DType::f64, reference[i] + shrink * errors[i], &bytes[8 * i]);
    CompareOptions options{tolerance, false, std::nullopt};
    options.plain_errors = plain_errors;
    return compare(argument, bytes, reference, options);
  }
  std::vector<double> errors, reference;
  model::BoundArgument argument;
};

double draw(int low, int high) {
  return std::pow(10.0, *rc::gen::inRange(low * 10, high * 10) / 10.0);
}

RC_GTEST_PROP(ReferenceFactor, PassesWithinAllFourBoundsAndNowhereElse, ()) {
  std::vector<double> errors;
  const int count = *rc::gen::inRange(1, 40);
  const double size = draw(-4, 0);
  for (int i = 0; i < count; ++i) errors.push_back(size * *rc::gen::inRange(-1000, 1001) / 1000.0);
  const Doubles output(errors);
  const model::Tolerance tolerance{
      "2x", draw(-3, 1), draw(-3, 1), {}, model::ReferenceFactor{draw(0, 1), draw(-6, -3)}};
  const OutputErrors plain_errors{draw(-4, 0), draw(-4, 0)};
  const Comparison result = output.judge(tolerance, plain_errors);
  const double rms =
      tolerance.reference_factor->factor * plain_errors.rms + tolerance.reference_factor->absolute;
  const double largest =
      tolerance.reference_factor->factor * plain_errors.largest + tolerance.reference_factor->absolute;
  RC_ASSERT(result.pass == (result.relative_frobenius <= tolerance.relative_frobenius &&
                            result.max_abs_over_rms <= tolerance.max_abs_over_rms &&
                            result.error_rms <= rms && result.error_largest <= largest));
  double squares = 0, worst = 0;
  for (const double error : errors) squares += error * error, worst = std::max(worst, std::abs(error));
  RC_ASSERT(std::abs(result.error_rms - std::sqrt(squares / count)) < 1e-12);
  RC_ASSERT(std::abs(result.error_largest - worst) < 1e-12);
  // What passes still does with smaller errors, a larger plain error, or without the rule.
  if (!result.pass) return;
  RC_ASSERT(output.judge(tolerance, plain_errors, 0.5).pass);
  RC_ASSERT(output.judge(tolerance, {2 * plain_errors.rms, 2 * plain_errors.largest}).pass);
  model::Tolerance fixed = tolerance;
  fixed.reference_factor.reset();
  RC_ASSERT(output.judge(fixed, plain_errors).pass);
}

TEST(ReferenceFactor, NoYardstickLetsMoreThroughThanTheCeiling) {
  const Doubles output({0.1, -0.1, 0.1, 0.1});
  const model::ReferenceFactor factor{2, 1};
  EXPECT_TRUE(output.judge({"", 1, 1, {}, factor}, {1, 1}).pass);
  EXPECT_FALSE(output.judge({"", 0.01, 1, {}, factor}, {no_bound, no_bound}).pass);
  EXPECT_FALSE(output.judge({"", 1, 0.01, {}, factor}, {no_bound, no_bound}).pass);
}

TEST(ReferenceFactor, EachOfItsBoundsCounts) {
  const Doubles output({0.1, -0.1, 0.1, 0.1});
  const model::Tolerance tolerance{"", 1, 1, {}, model::ReferenceFactor{2, 0}};
  EXPECT_TRUE(output.judge(tolerance, {0.051, 0.051}).pass);
  EXPECT_FALSE(output.judge(tolerance, {0.049, 0.051}).pass);
  EXPECT_FALSE(output.judge(tolerance, {0.051, 0.049}).pass);
  EXPECT_NE(output.judge(tolerance, {0.049, 0.051}).text("c").find("rms error 0.1 (allowed"),
            std::string::npos);
}

TEST(ReferenceFactor, NaNPassesNothing) {
  const Doubles correct({0, 0, 0});
  const model::Tolerance tolerance{"", 1, 1, {}, model::ReferenceFactor{2, 0}};
  EXPECT_TRUE(correct.judge(tolerance, {0, 0}).pass);
  EXPECT_FALSE(correct.judge(tolerance, {not_a_number, 1}).pass);
  EXPECT_FALSE(correct.judge(tolerance, {1, not_a_number}).pass);
  for (const double bad : {not_a_number, no_bound, -no_bound}) {
    const Doubles output({0, bad, 0});
    EXPECT_EQ(
        output.judge({"", no_bound, no_bound, {}, model::ReferenceFactor{2, no_bound}}, {no_bound, no_bound})
            .reason,
        "non_finite");
  }
}

}  // namespace
}  // namespace evo::evaluators::oracle
