#include "evaluators/oracle/float_range.hpp"

#include <cmath>

#include "model/dtype.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Rounding, however it adds up, is far below; an overflow or an underflow on the way is far above.
constexpr double far_off = 0.1;

}  // namespace

bool float_can_take(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                    const Reference& reference) {
  if (oracle.computed == nullptr) return true;
  const auto plain = oracle.computed->compute_plain(bound, inputs, reference.rows);
  if (!plain || !*plain) return true;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || !model::is_floating(output.dtype)) continue;
    const std::vector<double>&right = reference.outputs[i], &single = (**plain)[i];
    // In units of the largest, so that squares of either stay in range.
    double largest = 0;
    for (const double value : right) largest = std::max(largest, std::isfinite(value) ? std::fabs(value) : 0);
    if (largest == 0) largest = 1;
    double error = 0, size = 0;
    for (std::size_t e = 0; e < right.size() && e < single.size(); ++e) {
      if (std::isfinite(right[e]) != std::isfinite(single[e])) return false;
      if (!std::isfinite(right[e])) continue;
      const double off = (single[e] - right[e]) / largest, own = right[e] / largest;
      error += off * off;
      size += own * own;
    }
    if (error > far_off * far_off * size) return false;
  }
  return true;
}

bool float_keeps_integers(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                          const Reference& reference) {
  const auto whole = [&](std::size_t i) {
    return model::is_judged(bound.arguments[i].role) && !model::is_floating(bound.arguments[i].dtype);
  };
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) any |= whole(i);
  if (!any || oracle.computed == nullptr) return true;
  const auto plain = oracle.computed->compute_plain(bound, inputs, reference.rows);
  if (!plain || !*plain) return true;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (whole(i) && reference.outputs[i] != (**plain)[i]) return false;
  }
  return true;
}

}  // namespace evo::evaluators::oracle
