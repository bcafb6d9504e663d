// Cases of attention with the arguments that kernels/attention_forward names.
#pragma once

#include "model/variant.hpp"

namespace evo::test {

struct AttentionSizes {
  std::int64_t batch = 1, heads = 2, seq = 5, head_dim = 8;
  bool causal = false;
  int layout = 0;  ///< 0: [B,H,S,D]; 1: a view of [B,S,H,D]
};

inline model::Case attention_case(const AttentionSizes& s) {
  model::Case bound;
  bound.name = "attention";
  const std::vector<std::int64_t> shape{s.batch, s.heads, s.seq, s.head_dim};
  const std::vector<std::int64_t> strides =
      s.layout == 0
          ? std::vector<std::int64_t>{s.heads * s.seq * s.head_dim, s.seq * s.head_dim, s.head_dim, 1}
          : std::vector<std::int64_t>{s.heads * s.seq * s.head_dim, s.head_dim, s.heads * s.head_dim, 1};
  for (const char* name : {"Q", "K", "V", "O"}) {
    model::BoundArgument& array = bound.arguments.emplace_back();
    array.name = name;
    array.role = *name == 'O' ? model::ArgumentRole::output : model::ArgumentRole::input;
    array.dtype = model::DType::f16;
    array.shape = shape;
    array.strides = strides;
  }
  model::BoundArgument& scale = bound.arguments.emplace_back();
  scale.name = "scale";
  scale.role = model::ArgumentRole::scalar;
  scale.dtype = model::DType::f32;
  scale.scalar_float = 0.25;
  model::BoundArgument& causal = bound.arguments.emplace_back();
  causal.name = "causal";
  causal.role = model::ArgumentRole::scalar;
  causal.dtype = model::DType::i32;
  causal.scalar_integer = s.causal ? 1 : 0;
  return bound;
}

}  // namespace evo::test
