// Attention and softmax on the host, in fp64: what is correct, what a plain implementation makes of it, what
// known mistakes make of it, and what is between the steps.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "packs/attention/terms.hpp"

namespace evo::packs::attention {

/// softmax(scale * Q K^T) V over [batch, heads, seq, head_dim]; scalars `scale` and `causal`.
[[nodiscard]] model::Expected<ReferenceOutputs> attention_forward(const model::Case& bound,
                                                                  const InputBuffers& inputs);
[[nodiscard]] model::Expected<ReferenceOutputs> attention_forward_rows(const model::Case& bound,
                                                                       const InputBuffers& inputs,
                                                                       std::span<const std::int64_t> rows);
/// The same in the type of O, f16 or bf16: with S in base e, and in base 2. See attention_plain.cpp.
[[nodiscard]] model::Expected<std::vector<ReferenceOutputs>> attention_forward_plain(
    const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows);
/// y = softmax(x) along the columns of x [rows, columns].
[[nodiscard]] model::Expected<ReferenceOutputs> row_softmax(const model::Case& bound,
                                                            const InputBuffers& inputs);

/// Outputs of kernels with one known mistake. Empty where `bound` does not fit.
[[nodiscard]] std::vector<MistakenOutputs> attention_mistakes(const model::Case& bound,
                                                              const InputBuffers& inputs);
[[nodiscard]] std::vector<MistakenOutputs> softmax_mistakes(const model::Case& bound,
                                                            const InputBuffers& inputs);

// Stages, per slice batch * heads + head; M, L and A are what the online softmax holds after each tile.
[[nodiscard]] model::Expected<StageReference> attention_scores(const StageRequest&,
                                                               std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_running_max(const StageRequest&,
                                                                    std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_weights(const StageRequest&,
                                                                std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_running_sum(const StageRequest&,
                                                                    std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_accumulator(const StageRequest&,
                                                                    std::string_view hypothesis);
/// The five above, with the mistakes that are known of each.
[[nodiscard]] std::span<const StageFormula> stage_formulas();

}  // namespace evo::packs::attention
