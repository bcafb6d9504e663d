// The target's limits on one launch.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

/// over_budget with the reason "threads" or "shared_memory" if the launch exceeds the target's block limits.
[[nodiscard]] std::optional<model::Failure> launch_excess(const model::Case& launch, std::int64_t static_smem,
                                                          const TemplateContext& context);

[[nodiscard]] std::int64_t threads_of(const model::LaunchPlan& plan);

}  // namespace evo::evaluators::gates
