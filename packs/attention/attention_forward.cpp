#include <algorithm>
#include <cmath>

#include "packs/attention/attention_rows.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

/// Softmax with the maximum subtracted.
double weigh_exactly(std::span<double> scores) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  return sum;
}

}  // namespace

model::Expected<ReferenceOutputs> attention_forward_rows(const model::Case& bound, const InputBuffers& inputs,
                                                         std::span<const std::int64_t> rows) {
  const auto resolved = resolve_attention(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  ReferenceOutputs outputs(bound.arguments.size());
  outputs[resolved->o].resize(rows.size() * static_cast<std::size_t>(resolved->head_dim));
  const Weigh form = &weigh_exactly;
  double* const out = outputs[resolved->o].data();
  attend(*resolved, bound, inputs, rows, {&form, 1}, {&out, 1});
  return outputs;
}

model::Expected<ReferenceOutputs> attention_forward(const model::Case& bound, const InputBuffers& inputs) {
  const auto resolved = resolve_attention(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  return attention_forward_rows(bound, inputs, resolved->all_rows());
}

}  // namespace evo::packs::attention
