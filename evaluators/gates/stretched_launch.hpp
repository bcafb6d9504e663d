// Launches of stretched shapes on the virtual device: a kernel whose work grows faster than the work model's
// would take minutes there, and that is no fault of it.
#pragma once

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// Would this launch end within stretched_budget()? Reckoned from two of its blocks, which run without checks
/// and leave what they wrote. True for every other case, and on a real device. Fails where one of them never
/// ends: a loop without a way out is not slow.
[[nodiscard]] Outcome<bool> ends_in_time(const JobContext& context, const Check& check,
                                         const CaseBuffers& buffers);

}  // namespace evo::evaluators::gates
