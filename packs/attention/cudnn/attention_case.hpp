// The attention of a case, as cuDNN is told of it.
#pragma once

#include <array>

#include "model/variant.hpp"
#include "packs/attention/cudnn/api.hpp"

namespace evo::packs::attention::cudnn {

using Four = std::array<std::int64_t, 4>;

/// One of Q, K, V and O: [batch, heads, rows, columns], in elements.
struct AttentionTensor {
  std::size_t argument = 0;  ///< its index in the case
  Four shape{}, strides{};
};

struct Attention {
  AttentionTensor q, k, v, o;
  DataType type = DataType::f16;
  float scale = 1;
  bool causal = false;
};

/// Found by the names that a problem's comparator.py goes by: arrays Q, K, V and O, scalars scale and causal
/// (no causal: 0). The error says what is missing or of a type that cuDNN's attention does not take.
[[nodiscard]] Attempt<Attention> attention_of(const model::Case& bound);

}  // namespace evo::packs::attention::cudnn
