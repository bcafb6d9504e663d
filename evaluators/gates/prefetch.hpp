// Makes the inputs and references of the launches to come on several threads, before one thread asks for them
// in turn.
#pragma once

#include <span>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// False: this check is judged by what its problem declares; true: by backward error, since nobody has said
/// whether the declared bounds fit such data.
[[nodiscard]] bool is_conditioned(const JobContext& context, const Check& check);

/// How many checks prefetch_references() is to be given at a time: a large workload's data takes a gigabyte
/// while it is made.
inline constexpr std::size_t prefetch_ahead = 4;

/// Fills the cache with the references of these checks. Does nothing for the virtual device, whose launches
/// take longer than their data. What an oracle cannot take throws, as it would when it is asked for.
void prefetch_references(const JobContext& context, std::span<const Check> checks);

}  // namespace evo::evaluators::gates
