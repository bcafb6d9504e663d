// Genomes of attention_forward's wmma template.
#pragma once

#include "tests/kernels/shipped.hpp"

namespace evo::tests {

struct NamedGenome {
  std::string name;
  Genes genes;  ///< what differs from the initial genome
};

/// The configurations of the kernels that evo's seed documents tell of, as BLOCK_M_BLOCK_N_NUM_WARPS; the
/// last one with S in FP16 at exactly 49,152 bytes of shared memory: Q, K, V and S without any padding, and
/// nothing else, since row factors travel by shuffles, P takes the place of S, and O is in registers.
inline std::vector<NamedGenome> wmma_seeds() {
  using I = std::int64_t;
  const auto tiles = [](I m, I n, I warps) {
    return Genes{{"BLOCK_M", m}, {"BLOCK_N", n}, {"NUM_WARPS", warps}};
  };
  return {
      {"seed_32_64_4", also(tiles(32, 64, 4), {{"COL_WARPS", I{2}}})},
      {"seed_32_32_4", also(tiles(32, 32, 4), {{"COL_WARPS", I{2}}})},
      {"seed_48_64_8", also(tiles(48, 64, 8), {{"COL_WARPS", I{4}}})},
      {"seed_64_64_4", tiles(64, 64, 4)},
      {"seed_128_64_8_in_48_kib",
       also(tiles(128, 64, 8),
            {{"S_DTYPE", "half"}, {"ROW_FACTORS", "shuffle"}, {"SMEM_PAD", I{0}}, {"S_PAD", I{0}}})},
  };
}

}  // namespace evo::tests
