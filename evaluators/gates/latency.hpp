// The latency gate: times what is correct, and looks again at what the timed launches wrote.
#pragma once

#include <vector>

#include "evaluators/gates/clock_watch.hpp"
#include "evaluators/gates/job_context.hpp"
#include "model/measurement.hpp"

namespace evo::evaluators::gates {

struct TimedCases {
  std::vector<model::WorkloadLatency> latencies;  ///< one for each timed case
  /// Of each measured one, with all of its samples; none of a modelled one.
  std::vector<model::SampleSeries> samples;
};

/// One latency for each timed case. Real device: the launches rotate over at least two sets of buffers with
/// different inputs; afterwards all outputs must be correct, also when the sets have swapped their inputs.
/// Virtual device: the model's figure, on inputs that are the same in every run.
/// `notes` gets what a launch of each case did, where the device counts it (model::behaviour_kind). `watch`
/// looks once a case.
[[nodiscard]] Outcome<TimedCases> measure_latency(const JobContext& context, ClockWatch& watch,
                                                  std::vector<model::Evidence>* notes = nullptr);

}  // namespace evo::evaluators::gates
