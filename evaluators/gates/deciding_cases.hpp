// Sizes that decide what a candidate's code asks of several of them at once.
#pragma once

#include <vector>

#include "evaluators/gates/case_matrix.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::gates {

/// Further cases, of CaseUse::crossed, for the predicates of `artifact`'s entry (size_predicates.hpp): small
/// sizes, as declared but for those, at which one is what it is at none of `cases`, nor at one that is added
/// before. Sizes are drawn equal, next to each other, multiples and quotients of each other with little over,
/// and apart; what none of some hundreds of draws makes of a predicate stays unseen. None for a launch of
/// several kernels and for PTX that evo cannot read. Depends on the arguments only.
[[nodiscard]] std::vector<DerivedCase> deciding_cases(
    const TemplateContext& context, const model::Genome& genome, const std::vector<std::int64_t>& static_smem,
    const model::Artifact& artifact, const std::vector<model::Case>& cases, std::uint64_t entropy);

}  // namespace evo::evaluators::gates
