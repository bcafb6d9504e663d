// Attention as a plain implementation in the output's 16-bit type computes it: the yardstick of the rule
// reference_factor (yardstick.hpp). The outputs are FlashAttention's yardstick, PyTorch's attention in 16
// bits, with two differences that keep it fair to the kernels here.
//
// Emulated are the places where such an implementation rounds to 16 bits:
//   S, after scaling;
//   P = exp(S - largest S of the row), between 0 and 1;
//   O.
// Everything between them is fp64: what FP32 sums add depends on their order and is far below these
// roundings, so that leaving it out can make the bound smaller, but never larger.
//
// S is rounded in both units in which kernels store it, base e and base 2 (the scale with log2(e) folded in):
// a logit may stand just below a power of two in one unit and just above one in the other, where its rounding
// is twice as coarse. A kernel is free to choose, so the worse of the two is its yardstick.
//
// P is rounded before it is normalised, as kernels do it, and not after, as PyTorch does it: normalised
// weights of long rows are subnormal in FP16, and the bound would grow with the length for no reason.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "packs/attention/attention_rows.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

using Rounding = double (*)(double);

double to_half(double value) {
  return double_from_half(half_from_double(value));
}
double to_bfloat16(double value) {
  return double_from_bfloat16(bfloat16_from_double(value));
}

void attend_plainly(const AttentionRow& row, Rounding round, double unit, double* weights, double* out) {
  row.score(weights);
  for (std::int64_t j = 0; j < row.visible; ++j) weights[j] = round(weights[j] * unit);
  const double largest = *std::max_element(weights, weights + row.visible);
  double sum = 0;
  std::fill(out, out + row.dim, 0.0);
  for (std::int64_t j = 0; j < row.visible; ++j) {
    const double weight = std::exp((weights[j] - largest) / unit);
    sum += weight;
    const double rounded = round(weight);
    const double* value = row.values + j * row.dim;
    for (std::int64_t d = 0; d < row.dim; ++d) out[d] += rounded * value[d];
  }
  for (std::int64_t d = 0; d < row.dim; ++d) out[d] = round(out[d] / sum);
}

}  // namespace

model::Expected<std::vector<ReferenceOutputs>> attention_forward_plain(const model::Case& bound,
                                                                       const InputBuffers& inputs,
                                                                       std::span<const std::int64_t> rows) {
  const auto resolved = resolve_attention(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  const model::DType type = bound.arguments[resolved->o].dtype;
  if (type != model::DType::f16 && type != model::DType::bf16) {
    return tl::make_unexpected(
        model::Error{"attention_forward: the rule reference_factor needs an output of f16 or bf16, whose "
                     "plain implementation it "
                     "measures against"});
  }
  const Rounding round = type == model::DType::f16 ? &to_half : &to_bfloat16;
  const std::vector<std::int64_t> all = rows.empty() ? resolved->all_rows() : std::vector<std::int64_t>{};
  const std::span<const std::int64_t> chosen = rows.empty() ? std::span<const std::int64_t>(all) : rows;
  std::vector<ReferenceOutputs> forms;
  for (const double unit : {1.0, std::numbers::log2e}) {
    ReferenceOutputs& outputs = forms.emplace_back(bound.arguments.size());
    outputs[resolved->o].resize(chosen.size() * static_cast<std::size_t>(resolved->head_dim));
    for_each_row(*resolved, bound, inputs, chosen, outputs[resolved->o].data(),
                 [&](const AttentionRow& row, double* scratch, double* out) {
                   attend_plainly(row, round, unit, scratch, out);
                 });
  }
  return forms;
}

}  // namespace evo::packs::attention
