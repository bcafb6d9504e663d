// Does the oracle choose among its inputs (a maximum and where it is, a sort, a gather)? Only then may a
// kernel be shown the ends of a type: what else is made of them leaves its range, in one correct kernel or
// another.
#pragma once

#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// By the largest of the job's small workloads and odd shapes, on the first input set. Of one element an
/// average chooses, too, and a softmax of large logits: neither the ends of a type nor the least shapes tell.
[[nodiscard]] bool problem_selects(const JobContext& context);

}  // namespace evo::evaluators::gates
