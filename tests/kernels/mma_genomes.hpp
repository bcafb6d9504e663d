// Genomes of attention_forward's mma template.
#pragma once

#include <optional>
#include <random>

#include "tests/kernels/shipped.hpp"

namespace evo::tests {

/// See random_full_strength_genome.
inline std::optional<model::Genome> random_mma_genome(const model::Space& space, std::mt19937& random,
                                                      const Genes& fixed = {}) {
  return random_full_strength_genome(space, random, fixed);
}

struct MmaBreaker {
  Genes genes;
  std::int64_t head_dim = 64;
};

/// For each constraint of the mma template, in the file's order: genes that make its initial genome break
/// this constraint (on an L4) and no other.
inline std::vector<MmaBreaker> mma_constraint_breakers() {
  using I = std::int64_t;
  return {
      // Three warps in two groups.
      {{{"NUM_WARPS", I{3}}, {"KV_WARPS", I{2}}, {"BLOCK_M", I{48}}}},
      // 64 rows for three warps.
      {{{"NUM_WARPS", I{3}}}},
      // 48 keys in two steps.
      {{{"BLOCK_N", I{48}}, {"KEY_STEPS", I{2}}}},
      // Four column tiles for eight groups.
      {{{"NUM_WARPS", I{8}}, {"KV_WARPS", I{8}}, {"BLOCK_M", I{16}}, {"BLOCK_N", I{128}}}, 32},
      {{{"STAGES", I{1}}}},
      {{{"PREFETCH", "interleaved"}}},
      {{{"PREFETCH", "interleaved"}, {"KV_COMMITS", "split"}, {"KEY_STEPS", I{2}}}},
      // One warp has all 16 rows.
      {{{"CAUSAL_ORDER", "paired"}, {"BLOCK_M", I{16}}, {"NUM_WARPS", I{1}}}},
      // 64 rows of one warp: O alone takes 128 registers, Q 64.
      {{{"NUM_WARPS", I{1}}}},
      // 136 KiB.
      {{{"BLOCK_N", I{512}}, {"KEY_STEPS", I{8}}}},
  };
}

}  // namespace evo::tests
