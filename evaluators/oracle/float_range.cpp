#include "evaluators/oracle/float_range.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/undecided.hpp"
#include "model/dtype.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Rounding, however it adds up, is far below; an overflow or an underflow on the way is far above.
constexpr double far_off = 0.1;

bool is_integral_output(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
}

}  // namespace

std::optional<ReferenceOutputs> in_float(const Oracle& oracle, const model::Case& bound,
                                         const InputBuffers& inputs, const Reference& reference) {
  if (oracle.computed == nullptr) return std::nullopt;
  auto plain = oracle.computed->compute_plain(bound, inputs, reference.rows);
  return plain ? std::move(*plain) : std::nullopt;
}

bool float_can_take(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                    const Reference& reference) {
  return float_can_take(bound, reference, in_float(oracle, bound, inputs, reference));
}

bool float_can_take(const model::Case& bound, const Reference& reference,
                    const std::optional<ReferenceOutputs>& plain) {
  if (!plain) return true;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || !model::is_floating(output.dtype)) continue;
    const std::vector<double>&correct = reference.outputs[i], &single = (*plain)[i];
    // In units of the largest, so that squares of either stay in range.
    double largest = 0;
    for (const double value : correct)
      largest = std::max(largest, std::isfinite(value) ? std::fabs(value) : 0);
    if (largest == 0) largest = 1;
    double error = 0, size = 0;
    for (std::size_t e = 0; e < correct.size() && e < single.size(); ++e) {
      if (std::isfinite(correct[e]) != std::isfinite(single[e])) return false;
      if (std::isnan(correct[e]) != std::isnan(single[e])) return false;
      if (std::isinf(correct[e]) && correct[e] != single[e]) return false;
      if (!std::isfinite(correct[e])) continue;
      const double off = (single[e] - correct[e]) / largest, own = correct[e] / largest;
      error += off * off;
      size += own * own;
    }
    if (error > far_off * far_off * size) return false;
  }
  return true;
}

bool float_keeps_integers(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                          const Reference& reference) {
  if (std::ranges::none_of(bound.arguments, is_integral_output)) return true;
  return float_keeps_integers(bound, reference, in_float(oracle, bound, inputs, reference));
}

bool float_keeps_integers(const model::Case& bound, const Reference& reference,
                          const std::optional<ReferenceOutputs>& plain) {
  for (std::size_t i = 0; plain && i < bound.arguments.size(); ++i) {
    if (is_integral_output(bound.arguments[i]) && reference.outputs[i] != (*plain)[i]) return false;
  }
  return true;
}

bool float_reaches_integers(const model::Case& bound, const Reference& reference,
                            const std::optional<ReferenceOutputs>& plain, bool chosen) {
  for (std::size_t i = 0; plain && i < bound.arguments.size(); ++i) {
    if (!is_integral_output(bound.arguments[i])) continue;
    const std::vector<double>&correct = reference.outputs[i], &single = (*plain)[i];
    std::size_t off = 0, far = 0;
    for (std::size_t e = 0; e < correct.size() && e < single.size(); ++e) {
      off += single[e] != correct[e];
      far += !(std::fabs(single[e] - correct[e]) <= 1);
    }
    const bool undecided = may_be_undecided(bound, i);
    // Ties of a rounding: whole numbers times 0.05, or halves.
    const bool ties = undecided && bound.reference_launch && off <= correct.size() / 2;
    if ((chosen || ties ? far : off) > (chosen || undecided ? most_undecided(correct.size()) : 0))
      return false;
  }
  return true;
}

bool integers_hang_on_denormals(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                                const Reference& reference) {
  if (std::ranges::none_of(bound.arguments, is_integral_output) || !reference.rows.empty()) return false;
  const InputBuffers none = flushed(bound, inputs);
  if (!oracle.can_answer(bound, none)) return true;
  const auto outputs = oracle.compute(bound, none);
  if (!outputs) return true;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (is_integral_output(bound.arguments[i]) && (*outputs)[i] != reference.outputs[i]) return true;
  }
  return false;
}

}  // namespace evo::evaluators::oracle
