// Cases that cross what the other derived cases vary apart: sizes, remainders, flags, strides and scalars.
//
// A kernel that chooses a path by its sizes, or by a flag, may have forgotten on that path what it does
// correct on the others: rows, a stride, a scalar, that an array may begin anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/gates/drawn_shapes.hpp"

namespace evo::evaluators::gates {

struct CrossedCase {
  CaseUse use = CaseUse::crossed;  ///< or CaseUse::rescaled, where a floating-point scalar has another value
  model::Workload workload;        ///< within the genome's domain; its name says what is crossed
  model::CaseChanges changes;
};

/// For any problem: each declared workload with other scalars, strides and flags; each of `stretched`
/// likewise; each two free axes equal; each axis far beyond 16 bits, where that is cheap; and a
/// covering array (covering_array.hpp) over the size class of each axis, each flag, strides and scalars.
/// Cases that cost more than a small share of a trial are left out. Depends on the arguments only; with
/// Extent::chosen_by a few of the same cases, which that number chooses, and all of `stretched`.
[[nodiscard]] std::vector<CrossedCase> cross(const TemplateContext& context, const model::Genome& genome,
                                             const std::vector<model::Workload>& stretched,
                                             std::uint64_t entropy, const Extent& extent);

}  // namespace evo::evaluators::gates
