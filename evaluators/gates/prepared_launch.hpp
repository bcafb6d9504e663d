// A launch of the correctness gate with all that needs no device at hand.
#pragma once

#include <memory>
#include <vector>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

struct PreparedLaunch {
  Check check;
  const model::Case* bound;  ///< of the job
  std::shared_ptr<const oracle::ReferenceData> reference;
  std::vector<devices::HostBytes> inputs;  ///< of staged()
  Details details;                         ///< of details_of()
};

/// Which case, data and alignment a failure was seen with, and what a reader needs to know of them.
[[nodiscard]] Details details_of(const DeviceJob& job, const Check& check);

/// Makes or finds the reference, stages the inputs and digests them. Takes no turn on the device, so that
/// none waits for the host.
[[nodiscard]] PreparedLaunch prepare_launch(const JobContext& context, const Check& check);

}  // namespace evo::evaluators::gates
