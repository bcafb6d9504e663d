// Judges what a launch left behind.
#pragma once

#include <optional>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// Guard zones, inputs, then every output against its reference. All that is wrong becomes evidence; the
/// reason is the first of guard_overwritten, input_modified, gap_overwritten, unwritten, non_finite,
/// mismatch.
[[nodiscard]] std::optional<model::Failure> judge(const JobContext& context, const model::Case& bound,
                                                  const model::InputSet& set, const CaseBuffers& buffers,
                                                  const oracle::ReferenceData& reference,
                                                  const Details& details);

}  // namespace evo::evaluators::gates
