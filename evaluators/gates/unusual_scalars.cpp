#include "evaluators/gates/unusual_scalars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "evaluators/gates/meant_integers.hpp"
#include "evaluators/gates/selecting.hpp"
#include "evaluators/gates/small_numbers.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/float_range.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/poles.hpp"

namespace evo::evaluators::gates {
namespace {

/// What the answers to five values of a polynomial may miss by, relatively: roundings of fp64.
constexpr double polynomial_error = 1e-11;
constexpr double far_factor = 1000;

double as_the_kernel_gets_it(model::DType dtype, double value) {
  return dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

/// Where the answers of a polynomial are asked, as shares of the way from the first value to the last, and
/// one more, at which it is compared.
constexpr std::array<double, 4> nodes{0, 0.25, 0.75, 1};
constexpr double compared_at = 0.4375;

/// Weights of the values at `at` for the value at `asked` (Lagrange).
std::array<double, 4> weights_of(const std::array<double, 4>& at, double asked) {
  std::array<double, 4> weights{};
  for (std::size_t i = 0; i < at.size(); ++i) {
    weights[i] = 1;
    for (std::size_t j = 0; j < at.size(); ++j) {
      if (j != i) weights[i] *= (asked - at[j]) / (at[i] - at[j]);
    }
  }
  return weights;
}

/// Do the answers to the values at `at` say the one at `asked`?
bool is_polynomial(const std::array<Reference, 4>& answers, const std::array<double, 4>& at,
                   const oracle::ReferenceOutputs& between, double asked) {
  const std::array<double, 4> weights = weights_of(at, asked);
  for (std::size_t i = 0; i < between.size(); ++i) {
    double largest = 0, missed = 0;
    for (std::size_t e = 0; e < between[i].size(); ++e) {
      double said = 0;
      for (std::size_t n = 0; n < answers.size(); ++n) {
        const double value = answers[n]->outputs[i].at(e);
        said += weights[n] * value;
        largest = std::max(largest, std::abs(value));
      }
      if (!std::isfinite(said) || !std::isfinite(between[i][e])) return false;
      missed = std::max(missed, std::abs(between[i][e] - said));
    }
    if (missed > polynomial_error * largest) return false;
  }
  return true;
}

bool is_number(const oracle::ReferenceOutputs& outputs) {
  return std::ranges::all_of(outputs, [](const auto& values) {
    return std::ranges::none_of(values, [](double value) { return std::isnan(value); });
  });
}

}  // namespace

std::vector<double> unusual_values(double usual, model::RandomStream& stream) {
  const double about = usual == 0 ? 1 : usual;
  return {0, -about * (0.75 + 0.5 * stream.uniform()), about * far_factor * (0.75 + 0.5 * stream.uniform())};
}

std::vector<std::int64_t> other_integers(std::int64_t usual, model::DType dtype) {
  constexpr std::int64_t most = std::int64_t{1} << 52;  // a double holds what is near it
  if (usual > most || usual < -most) return {};
  const std::int64_t sign = usual < 0 ? -1 : 1, size = usual * sign;
  const std::int64_t step = size & -size;  // the largest power of two that divides it
  std::vector<std::int64_t> others{0, 2 * sign};
  if (size == 0) others = {1, 2};
  if (size > 1) others = {usual - step, usual + step};
  if (size > 1 && size == step) others = {usual / 2, usual * 2};
  std::erase_if(others, [&](std::int64_t value) {
    if (dtype == model::DType::boolean) return value != 0 && value != 1;
    const auto bits = 8 * static_cast<unsigned>(model::size_of(dtype));
    const bool is_signed = dtype == model::DType::i8 || dtype == model::DType::i16 ||
                           dtype == model::DType::i32 || dtype == model::DType::i64;
    if (value < 0 && !is_signed) return true;
    return bits < 64 && std::abs(value) >= std::int64_t{1} << (is_signed ? bits - 1 : bits);
  });
  return others;
}

std::vector<std::int64_t> far_integers(std::int64_t usual, model::DType dtype, std::uint64_t seed) {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (dtype == model::DType::boolean || usual > most || usual < -most) return {};
  const std::int64_t sign = usual < 0 ? -1 : 1;
  std::vector<std::int64_t> candidates{-usual, 0};
  for (const std::int64_t beyond : {std::int64_t{256}, std::int64_t{65536}}) {
    if (usual * sign < beyond) candidates.push_back(usual + sign * beyond);
  }
  model::RandomStream stream({.seed = seed, .generation = 0, .slot = 0, .purpose = "far integers"});
  const auto drawn = [&](std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(to - from + 1)));
  };
  // Powers of two, for which kernels have a way of their own, and numbers of several magnitudes beside them.
  candidates.push_back(std::int64_t{1} << drawn(3, 6));
  candidates.push_back(-1);
  candidates.push_back(1);
  candidates.push_back(drawn(5, 15));
  candidates.push_back(drawn(17, 250));
  candidates.push_back(-drawn(5, 100));
  candidates.push_back(std::int64_t{1} << drawn(7, 14));
  candidates.push_back(drawn(1000, 60000));
  const std::vector<std::int64_t> near = other_integers(usual, dtype);
  const auto [low, high] = model::range_of(dtype);
  std::vector<std::int64_t> values;
  for (const std::int64_t value : candidates) {
    const bool shown = value == usual || std::ranges::find(near, value) != near.end() ||
                       std::ranges::find(values, value) != values.end();
    if (!shown && static_cast<double>(value) >= low && static_cast<double>(value) <= high)
      values.push_back(value);
  }
  return values;
}

bool is_far_integer(const model::Case& declared, const model::Case& bound, std::size_t scalar) {
  const model::BoundArgument& asked = bound.arguments[scalar];
  if (oracle::is_floating(asked.dtype)) return false;
  const std::int64_t usual = declared.arguments[scalar].scalar_integer;
  const std::vector<std::int64_t> near = other_integers(usual, asked.dtype);
  return asked.scalar_integer != usual && std::ranges::find(near, asked.scalar_integer) == near.end();
}

bool may_be_another(const model::Argument& scalar) {
  return scalar.role == model::ArgumentRole::scalar && !oracle::is_floating(scalar.dtype) &&
         !scalar.neutral && !scalar.fixed && scalar.scalar.form == model::ScalarValue::Form::integer &&
         scalar.scalar.stride_of.empty() && scalar.scalar.expression.names().empty();
}

namespace {

using Answer = std::function<Reference(const model::Case&)>;

bool number_is_meant(const model::Case& bound, std::size_t scalar, double usual, const Answer& answer) {
  const model::DType dtype = bound.arguments[scalar].dtype;
  const double from = bound.arguments[scalar].scalar_float, to = as_the_kernel_gets_it(dtype, usual);
  const auto value_at = [&](double share) {
    return as_the_kernel_gets_it(dtype, from + (to - from) * share);
  };
  const auto answer_at = [&](double value) {
    model::Case other = bound;
    other.arguments[scalar].scalar_float = value;
    return answer(other);
  };
  std::array<Reference, 4> answers;
  std::array<double, 4> at{};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    at[i] = value_at(nodes[i]);
    answers[i] = answer_at(at[i]);
    // As it is stored, too: the square of a thousand leaves FP16.
    if (!answers[i]->in_domain || !all_finite(answers[i]->outputs) ||
        !oracle::representable(bound, *answers[i]))
      return false;
  }
  const double asked = value_at(compared_at);
  const Reference between = answer_at(asked);
  return between->in_domain && is_polynomial(answers, at, between->outputs, asked);
}

/// Where a number that is made into an integer is off by the rounding of float, a correct kernel is: asked
/// only of values that the problem gives.
bool float_says_the_same(const JobContext& context, const model::Case& bound,
                         const oracle::ReferenceData& reference) {
  const oracle::Oracle* known = context.cache.catalogue().find_oracle(context.job.oracle);
  const auto& declared = context.job.cases.front().arguments;
  bool changed = false;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    changed |= declared[i].role == model::ArgumentRole::scalar && oracle::is_floating(declared[i].dtype) &&
               declared[i].scalar_float != bound.arguments[i].scalar_float;
  }
  return !changed || known == nullptr || reference.keeps_integers.or_find([&] {
    return oracle::float_keeps_integers(*known, bound, reference.inputs, reference);
  });
}

}  // namespace

bool asks_what_is_meant(const JobContext& context, const Check& check) {
  const model::InputSet& shown = context.job.input_sets[check.set_index];
  const bool declared_set = oracle::parameter(shown, oracle::undeclared_parameter, 0) == 0;
  if (oracle::is_at_an_end(shown) && !declared_set && !problem_selects(context)) return false;
  // What is in a range that the problem declares has to have an answer, and no more.
  if (use_of(context.job, check.case_index) != CaseUse::unusual) return true;
  const model::Case& bound = context.job.cases[check.case_index];
  const model::Case& declared = context.job.cases.front();
  const model::InputSet& set = context.job.input_sets[check.set_index];
  const AnswerTo answer_to = [&](const model::Case& asked, const model::InputSet& given) {
    return context.cache.get(context.job.oracle, asked, given, {.seed = context.job.input_seed});
  };
  if (bound.undeclared_scalar) {
    // Of which array differs with the number.
    const std::int64_t asked = bound.arguments[*bound.undeclared_scalar].scalar_integer;
    std::vector<model::InputSet> tell;
    for (const std::size_t ordered :
         sets_in_order(context.job, check.case_index, static_cast<std::size_t>(std::abs(asked))))
      tell.push_back(context.job.input_sets[ordered]);
    return integer_is_meant(bound, declared, set, answer_to, tell);
  }
  const Answer answer = [&](const model::Case& asked) { return answer_to(asked, set); };
  // What any factor makes of nothing is nothing: that says not that it may be 0, which others divide by.
  if (set.kind == oracle::all_zero_kind) return false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound.arguments[i];
    const double usual = declared.arguments[i].scalar_float;
    if (scalar.role == model::ArgumentRole::scalar && oracle::is_floating(scalar.dtype) &&
        scalar.scalar_float != usual && !number_is_meant(bound, i, usual, answer))
      return false;
  }
  return true;
}

bool has_an_answer(const JobContext& context, const Check& check, const oracle::ReferenceData& reference) {
  if (!reference.in_domain) return false;
  const CaseUse use = use_of(context.job, check.case_index);
  const model::Case& asked = context.job.cases[check.case_index];
  const bool special =
      oracle::rules_of(context.cache.catalogue(), context.job.input_sets[check.set_index]).special_values;
  const bool poles = !special && reference.rules.special_values;
  // Sums of a size that nobody asked for may leave a type that has room for those of other sizes, double too.
  const bool declared = use == CaseUse::workload || use == CaseUse::odd;
  const auto has_room = [&] {
    if (!poles) return oracle::representable(asked, reference);
    oracle::Reference others;
    others.outputs = oracle::without_infinities(reference.outputs, reference);
    return oracle::representable(asked, others);
  };
  if (!declared && !special && is_number(reference.outputs) && !has_room()) return false;
  if (use != CaseUse::changed && use != CaseUse::rescaled && use != CaseUse::unusual &&
      use != CaseUse::ranged)
    return true;
  if (!float_says_the_same(context, context.job.cases[check.case_index], reference)) return false;
  return special || poles || all_finite(reference.outputs);
}

}  // namespace evo::evaluators::gates
