// The ladder's profile gate.
#include "evaluators/gates/counter_bounds.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/stopwatch.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {

DeviceJob Ladder::launches_to_profile(const Prepared& prepared) const {
  if (!prepared.artifact || !prepared.bound)
    throw model::Exception(model::ExitCode::failed, "launches of a variant that prepare() did not pass");
  DeviceJob job = timing_job(prepared.device_artifact ? *prepared.device_artifact : *prepared.artifact, {});
  job.cases = prepared.bound->workloads;
  job.workload_count = job.cases.size();
  return job;
}

void Ladder::use_profiler(std::shared_ptr<Profiler> profiler) {
  profiler_ = std::move(profiler);
  refuse_unjudgeable(experiment_.gates.counters, profiler_->basis());
}

model::GateResult Ladder::check_profile(const Prepared& prepared,
                                        std::optional<model::CounterReading>& counters) {
  const Stopwatch time;
  Profiled profiled = profiler_->profile(launches_to_profile(prepared));
  std::optional<model::Failure> failure = std::move(profiled.failure);
  if (!failure && !profiled.reading)
    throw model::Exception(model::ExitCode::environment, "gates.counters: " + refusal_of(profiled.refused));
  if (!failure) failure = check_counters(experiment_.gates.counters, *profiled.reading);
  counters = std::move(profiled.reading);
  times_.add({model::Gate::profile, 1, time.milliseconds() / 1000, 0, 0, 0});
  return {model::Gate::profile, std::move(failure), time.milliseconds()};
}

}  // namespace evo::evaluators::gates
