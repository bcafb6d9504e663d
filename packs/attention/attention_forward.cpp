#include <algorithm>
#include <cmath>

#include "packs/attention/attention_rows.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

/// One row of O: scores, softmax with the maximum subtracted, weighted sum of V.
void attend_exactly(const AttentionRow& row, double* scores, double* out) {
  row.score(scores);
  const double largest = *std::max_element(scores, scores + row.visible);
  double sum = 0;
  std::fill(out, out + row.dim, 0.0);
  for (std::int64_t j = 0; j < row.visible; ++j) {
    const double weight = std::exp(scores[j] - largest);
    sum += weight;
    const double* value = row.values + j * row.dim;
    for (std::int64_t d = 0; d < row.dim; ++d) out[d] += weight * value[d];
  }
  for (std::int64_t d = 0; d < row.dim; ++d) out[d] /= sum;
}

}  // namespace

model::Expected<ReferenceOutputs> attention_forward_rows(const model::Case& bound, const InputBuffers& inputs,
                                                         std::span<const std::int64_t> rows) {
  const auto resolved = resolve_attention(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  ReferenceOutputs outputs(bound.arguments.size());
  outputs[resolved->o].resize(rows.size() * static_cast<std::size_t>(resolved->head_dim));
  for_each_row(*resolved, bound, inputs, rows, outputs[resolved->o].data(), attend_exactly);
  return outputs;
}

model::Expected<ReferenceOutputs> attention_forward(const model::Case& bound, const InputBuffers& inputs) {
  const auto resolved = resolve_attention(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  return attention_forward_rows(bound, inputs, resolved->all_rows());
}

}  // namespace evo::packs::attention
