// The target's limits on one launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

/// over_budget with the reason "threads" or "shared_memory" if a kernel of the case's plan exceeds the
/// target's block limits. `static_smem`: bytes of each kernel, by LaunchPlan::kernel.
[[nodiscard]] std::optional<model::Failure> launch_excess(const model::Case& launch,
                                                          std::span<const std::int64_t> static_smem,
                                                          const TemplateContext& context);

/// Notes of kind `cannot_launch`: axes whose largest legal values no launch of the genome takes, the others
/// small, and why; say, a grid of more blocks than CUDA has. Such sizes are legal by the problem and shown by
/// no gate. Details: axis, largest (the largest value that launches; 0: none does).
[[nodiscard]] std::vector<model::Evidence> unlaunchable_sizes(const TemplateContext& context,
                                                              const model::Genome& genome,
                                                              std::span<const std::int64_t> static_smem);

[[nodiscard]] std::int64_t threads_of(const model::LaunchPlan& plan);

}  // namespace evo::evaluators::gates
