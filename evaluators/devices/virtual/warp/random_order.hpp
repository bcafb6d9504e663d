// Orders drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::warp {

/// 0 .. count-1; in natural order for seed 0, else permuted by (seed, stream).
[[nodiscard]] std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed,
                                                     std::uint64_t stream);

}  // namespace evo::evaluators::virtual_device::warp
