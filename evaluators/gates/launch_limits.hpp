// The target's limits on one launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

/// over_budget with the reason "threads" or "shared_memory" if a kernel of the case's plan exceeds the
/// target's block limits. `static_smem`: bytes of each kernel, by LaunchPlan::kernel.
[[nodiscard]] std::optional<model::Failure> launch_excess(const model::Case& launch,
                                                          std::span<const std::int64_t> static_smem,
                                                          const TemplateContext& context);

[[nodiscard]] std::int64_t threads_of(const model::LaunchPlan& plan);

}  // namespace evo::evaluators::gates
