// The cases that the correctness gate adds to those that experiment and problem declare, for every problem
// alike: from its axes, arguments and scalars alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/gates/drawn_shapes.hpp"

namespace evo::evaluators::gates {

struct DerivedCase {
  CaseUse use = CaseUse::drawn;
  model::Case bound;
};

/// Drawn shapes (drawn_shapes.hpp), and on the most telling of them: each group of arrays that may have
/// strides of its own (model/stride_groups.hpp) with padded ones, aligned for vectors and not, and,
/// told in 64 bits, with offsets beyond 32 bits (unless the problem declares such views); each floating-point
/// scalar with other values. Then the crossed cases (crossed_cases.hpp). What the genome cannot launch under
/// the target is left out. Depends on the arguments only.
[[nodiscard]] std::vector<DerivedCase> derive_cases(const TemplateContext& context,
                                                    const model::Genome& genome,
                                                    const std::vector<std::int64_t>& static_smem,
                                                    std::uint64_t entropy, Extent extent);

}  // namespace evo::evaluators::gates
