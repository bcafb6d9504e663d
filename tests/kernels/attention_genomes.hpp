// Genomes of attention_forward's templates that break one constraint, and the class in which one can be
// correct.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/shipped.hpp"

namespace evo::tests {

/// Genes that make a template's initial genome break one constraint (on an L4) and no other.
struct Breaker {
  Genes genes;
  std::string reason;  ///< why it fails where the constraint is taken out; "" for whatever reason
  std::int64_t head_dim = 64;
};

inline std::vector<Breaker> scalar_constraint_breakers() {
  using I = std::int64_t;
  return {
      // Three of four rows belong to no thread.
      {{{"BLOCK_M", I{128}}, {"NUM_WARPS", I{1}}, {"ROWS_PER_THREAD", I{1}}}, ""},
      // 128 threads share the 64 columns of O.
      {{{"BLOCK_M", I{16}}, {"BLOCK_N", I{128}}, {"NUM_WARPS", I{8}}, {"ROWS_PER_THREAD", I{8}}}, ""},
      // 8 threads of 4 columns on rows of 16.
      {{{"BLOCK_N", I{16}}, {"COLS_PER_THREAD", I{4}}}, ""},
      // 8-byte stores to rows 132 bytes apart.
      {{{"SMEM_PAD", I{2}}, {"VEC", I{4}}}, "misaligned"},
      // 4-byte loads from rows 130 bytes apart.
      {{{"SMEM_PAD", I{1}}, {"VEC", I{1}}, {"READ_VEC", I{2}}}, "misaligned"},
      // 8-byte loads from rows 132 bytes apart.
      {{{"S_PAD", I{1}}, {"P_VEC", I{2}}}, "misaligned"},
      // 156 KiB.
      {{{"BLOCK_M", I{128}}, {"BLOCK_N", I{128}}, {"NUM_WARPS", I{8}}, {"KV_BUFFERS", I{2}}},
       "shared_memory"},
  };
}

inline std::vector<Breaker> wmma_constraint_breakers() {
  using I = std::int64_t;
  return {
      // Three warps in groups of two.
      {{{"NUM_WARPS", I{3}}, {"COL_WARPS", I{2}}}, ""},
      {{{"KV_BUFFER", "shared"}, {"STAGES", I{2}}}, ""},
      // Rows of P 72 bytes apart.
      {{{"S_DTYPE", "half"}, {"S_PAD", I{4}}}, ""},
      {{{"ROW_FACTORS", "shuffle"}, {"COL_WARPS", I{2}}}, ""},
      {{{"SCORE_READS", "twice"}}, ""},
      // One warp has 128 rows: O alone takes 256 registers.
      {{{"BLOCK_M", I{128}}, {"NUM_WARPS", I{1}}}, ""},
      // 104 KiB.
      {{{"BLOCK_M", I{128}}, {"BLOCK_N", I{64}}, {"OUTPUT_PLACE", "shared"}, {"SMEM_PAD", I{16}}}, ""},
  };
}

inline std::vector<Breaker> mma_constraint_breakers() {
  using I = std::int64_t;
  return {
      // Three warps in two groups.
      {{{"NUM_WARPS", I{3}}, {"KV_WARPS", I{2}}, {"BLOCK_M", I{48}}}, ""},
      // 64 rows for three warps.
      {{{"NUM_WARPS", I{3}}}, ""},
      // 48 keys in two steps.
      {{{"BLOCK_N", I{48}}, {"KEY_STEPS", I{2}}}, ""},
      // Four column tiles for eight groups.
      {{{"NUM_WARPS", I{8}}, {"KV_WARPS", I{8}}, {"BLOCK_M", I{16}}, {"BLOCK_N", I{128}}}, "", 32},
      {{{"STAGES", I{1}}}, ""},
      {{{"PREFETCH", "interleaved"}}, ""},
      {{{"PREFETCH", "interleaved"}, {"KV_COMMITS", "split"}, {"KEY_STEPS", I{2}}}, ""},
      // One warp has all 16 rows.
      {{{"CAUSAL_ORDER", "paired"}, {"BLOCK_M", I{16}}, {"NUM_WARPS", I{1}}}, ""},
      // 64 rows of one warp: O alone takes 128 registers, Q 64.
      {{{"NUM_WARPS", I{1}}}, ""},
      // 136 KiB.
      {{{"BLOCK_N", I{512}}, {"KEY_STEPS", I{8}}}, ""},
  };
}

/// Those of a template, one for each of its constraints, in the file's order.
inline std::vector<Breaker> constraint_breakers(const std::string& kernel) {
  if (kernel == "scalar") return scalar_constraint_breakers();
  if (kernel == "wmma") return wmma_constraint_breakers();
  if (kernel == "mma") return mma_constraint_breakers();
  throw std::runtime_error("no genomes break the constraints of " + kernel);
}

/// The accuracy class in which a genome can be correct: that of S in FP16 where it is so.
inline std::string accuracy_class_of(const model::Genome& genome) {
  const auto type = genome.values().find("S_DTYPE");
  return type != genome.values().end() && type->second == model::Value{"half"} ? "fp16-softmax"
                                                                               : "fp32-softmax";
}

}  // namespace evo::tests
