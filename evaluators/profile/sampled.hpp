// Stall samples of a launcher (worker/counted_launches.hpp) as source lines of a reading's kernels.
#pragma once

#include <boost/json/value.hpp>

#include "evaluators/gates/device_job.hpp"
#include "model/counters.hpp"

namespace evo::evaluators::profile {

/// `samples`: the launcher's. What a kernel calls without inlining it counts as the kernel's, where its plan
/// has one kernel, else as the first one's. Launches of one kernel within a plan are sampled together, and
/// stand at the first of them. `reading`: of the same job.
void add_samples(const boost::json::value& samples, const gates::DeviceJob& job,
                 model::CounterReading& reading);

}  // namespace evo::evaluators::profile
