#include "evaluators/gates/unusual_scalars.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::gates {
namespace {

using Reference = std::shared_ptr<const oracle::ReferenceData>;

/// What the answers to three values of an affine function may miss by, relatively: roundings of fp64.
constexpr double affine_error = 1e-12;
constexpr double far_factor = 1000;

double as_the_kernel_gets_it(model::DType dtype, double value) {
  return dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

/// Do the answers lie on a line, `share` of the way from the first to the last?
bool on_a_line(const oracle::ReferenceOutputs& first, const oracle::ReferenceOutputs& between,
               const oracle::ReferenceOutputs& last, double share) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].size() != last[i].size() || first[i].size() != between[i].size()) return false;
    double largest = 0, missed = 0;
    for (std::size_t e = 0; e < first[i].size(); ++e) {
      const double a = first[i][e], b = between[i][e], c = last[i][e];
      if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return false;
      largest = std::max({largest, std::abs(a), std::abs(c)});
      missed = std::max(missed, std::abs(b - (a + (c - a) * share)));
    }
    if (missed > affine_error * largest) return false;
  }
  return true;
}

bool is_finite(const oracle::ReferenceOutputs& outputs) {
  return std::ranges::all_of(outputs, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  });
}

}  // namespace

std::vector<double> unusual_values(double usual, model::RandomStream& stream) {
  const double about = usual == 0 ? 1 : usual;
  return {0, -about * (0.75 + 0.5 * stream.uniform()), about * far_factor * (0.75 + 0.5 * stream.uniform())};
}

bool asks_what_is_meant(const JobContext& context, const Check& check) {
  if (use_of(context.job, check.case_index) != CaseUse::unusual) return true;
  const model::Case& bound = context.job.cases[check.case_index];
  const model::Case& declared = context.job.cases.front();
  const model::InputSet& set = context.job.input_sets[check.set_index];
  const auto answer = [&](const model::Case& asked) {
    return context.cache.get(context.job.oracle, asked, set, {.seed = context.job.input_seed});
  };
  const Reference there = answer(bound);
  if (!there->in_domain) return false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound.arguments[i];
    const double usual = declared.arguments[i].scalar_float;
    if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype) ||
        scalar.scalar_float == usual)
      continue;
    model::Case other = bound;
    other.arguments[i].scalar_float = as_the_kernel_gets_it(scalar.dtype, usual);
    const double from = scalar.scalar_float, to = other.arguments[i].scalar_float;
    const Reference here = answer(other);
    other.arguments[i].scalar_float = as_the_kernel_gets_it(scalar.dtype, from + (to - from) * 0.375);
    const double share = (other.arguments[i].scalar_float - from) / (to - from);
    const Reference between = answer(other);
    if (!here->in_domain || !between->in_domain ||
        !on_a_line(there->outputs, between->outputs, here->outputs, share))
      return false;
  }
  return true;
}

bool has_an_answer(const JobContext& context, const Check& check, const oracle::ReferenceData& reference) {
  if (!reference.in_domain) return false;
  const CaseUse use = use_of(context.job, check.case_index);
  if (use != CaseUse::changed && use != CaseUse::rescaled) return true;
  const model::InputSet& set = context.job.input_sets[check.set_index];
  return oracle::rules_of(context.cache.catalogue(), set).special_values || is_finite(reference.outputs);
}

}  // namespace evo::evaluators::gates
