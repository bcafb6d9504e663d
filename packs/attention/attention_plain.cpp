// Attention as a plain implementation in the output's 16-bit type computes it: the errors of a plain
// implementation for the rule reference_factor (plain_errors.hpp). The outputs are what FlashAttention's
// tests measure against, PyTorch's attention in 16 bits, with two differences that keep it fair to the
// kernels here.
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
// is twice as coarse. A kernel is free to choose, so the worse of the two is what it is held against.
//
// P is rounded before it is normalised, as kernels do it, and not after, as PyTorch does it: normalised
// weights of long rows are subnormal in FP16, and the bound would grow with the length for no reason.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "evaluators/oracle/rounding.hpp"
#include "packs/attention/attention_rows.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

/// `unit`: the logarithm of e in the base in which S is stored.
template <model::DType type>
double weigh_plainly(std::span<double> scores, double unit) {
  for (double& score : scores) score *= unit;
  round_to(type, scores);
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = std::exp((score - largest) / unit);
    sum += score;
  }
  round_to(type, scores);
  return sum;
}

template <model::DType type>
constexpr std::array<Weigh, 2> both_units{
    [](std::span<double> scores) { return weigh_plainly<type>(scores, 1.0); },
    [](std::span<double> scores) { return weigh_plainly<type>(scores, std::numbers::log2e); }};

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
  const std::vector<std::int64_t> all = rows.empty() ? resolved->all_rows() : std::vector<std::int64_t>{};
  const std::span<const std::int64_t> chosen = rows.empty() ? std::span<const std::int64_t>(all) : rows;
  std::vector<ReferenceOutputs> forms(2, ReferenceOutputs(bound.arguments.size()));
  std::array<double*, 2> out{};
  for (std::size_t form = 0; form < forms.size(); ++form) {
    forms[form][resolved->o].resize(chosen.size() * static_cast<std::size_t>(resolved->head_dim));
    out[form] = forms[form][resolved->o].data();
  }
  attend(*resolved, bound, inputs, chosen,
         type == model::DType::f16 ? both_units<model::DType::f16> : both_units<model::DType::bf16>, out);
  for (ReferenceOutputs& form : forms) round_to(type, form[resolved->o]);
  return forms;
}

}  // namespace evo::packs::attention
