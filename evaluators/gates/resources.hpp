// The resources gate: what the compiler reports, against the target and against what the template predicted.
#pragma once

#include <optional>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

/// over_budget with the reason
///   spills                more than max_spill_bytes go to local memory,
///   registers             a thread needs more than the target has, or a block more than an SM has,
///   static_smem_mismatch  static shared memory is not what the template says,
///   shared_memory         static as reported plus dynamic exceeds the limit in some launch,
///   threads               a block has more threads than the target takes;
/// all that are exceeded become evidence, the reason is the first in this order.
[[nodiscard]] std::optional<model::Failure> check_resources(const TemplateContext& context,
                                                            const BoundVariant& bound,
                                                            const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
