#include "packs/attention/attention.hpp"

#include <array>

#include <fmt/format.h>

#include "packs/attention/attention_inputs.hpp"
#include "packs/attention/cudnn/cudnn_contender.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

constexpr std::array oracles{
    Oracle{"attention_forward", "O = softmax(scale * Q K^T) V, with a causal mask if causal is not 0",
           &attention_forward, &attention_forward_rows, &attention_forward_plain, &attention_mistakes},
    Oracle{"row_softmax", "y = softmax(x) along the last axis", &row_softmax, nullptr, nullptr,
           &softmax_mistakes},
};

constexpr std::array kinds{
    InputKind{"large_logits", "Q times query_scale (8)", false, 1, &large_logits, false, 0, "query_scale"},
    InputKind{"key_norm_rising", "norms of the keys grow along the sequence, low (0.25) to high (4)", false,
              1, &key_norm_rising, false, 0, "low|high"},
    InputKind{"key_norm_falling", "norms of the keys shrink along the sequence, high (4) to low (0.25)",
              false, 1, &key_norm_falling, false, 0, "low|high"},
    // A kernel with P in a 16-bit type divides a sum of rounded weights by one of exact weights: where one
    // weight outweighs the others and is not 1 (a running maximum that is not kept up at once), that is off
    // by up to half a unit in the last place, which rounds to the number beside 1.
    InputKind{"ones_v", "V is 1 everywhere, so every output is 1, or the number beside it", true, 1, &ones_v,
              false, 1},
    InputKind{"negative_logits", "every q.k is near `logit` (-1300) before scaling", false, 2,
              &negative_logits, false, 0, "logit|spread"},
    InputKind{"extreme_logits", "every q.k is near `logit` (-100000) before scaling", false, 32,
              &extreme_logits, false, 0, "logit|spread"},
    InputKind{"permutation_probe", "each query picks out one key, so each row of O is exactly a row of V",
              true, 1, &permutation_probe, false, 0, "gain"},
    InputKind{"spike", "a key at a drawn place whose logit is `height` (100) above the others", false, 1,
              &spike, true, 0, "height"},
    InputKind{"staircase", "logits step up by `step` (100) at every 16th of the last 128 keys", false, 1,
              &staircase, true, 0, "step"},
    InputKind{"shift_probe", "each query picks out the next key, which a causal mask hides", false, 1,
              &shift_probe, false, 0, "gain"},
};

Contenders contenders(evaluators::cuda::CudaDevice& device) {
  const auto api = cudnn::load();
  if (!api) return {{{"cuDNN (graph API)", api.error()}}, {}};
  const std::string name = fmt::format("cuDNN {} (graph API)", cudnn::version_text(**api));
  auto session = cudnn::Session::open(*api);
  if (!session) return {{{name, session.error()}}, {}};
  Contenders found{{{name, {}}}, {}};
  found.contenders.push_back(std::make_unique<cudnn::CudnnContender>("cudnn graph", device, *session));
  return found;
}

}  // namespace

Pack pack() {
  return {"attention", oracles, kinds, stage_formulas(), &contenders};
}

}  // namespace evo::packs::attention
