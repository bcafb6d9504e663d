// What `evo bench --aa N` prints.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/trial.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "model/verdict.hpp"
#include "session/aa.hpp"

namespace evo::terminal {

/// "wrong (mismatch)" and, on lines of their own, the evidence.
[[nodiscard]] std::string refusal_text(const engine::TrialRecord& trial);

/// What became of the copies, then where the time went. `copies`: how many were asked for; `device`:
/// DeviceChoice::id; `baseline`: its latency, which all ratios are of.
[[nodiscard]] std::string aa_text(const session::AaOutcome& outcome, int copies, const std::string& device,
                                  const model::Latency& baseline,
                                  const std::vector<evaluators::gates::GateTime>& times);
/// The same facts; latencies in microseconds ("baseline_us"), times in seconds.
[[nodiscard]] boost::json::object aa_to_json(const session::AaOutcome& outcome, int copies,
                                             const std::string& device, const model::Latency& baseline,
                                             const std::vector<evaluators::gates::GateTime>& times);

}  // namespace evo::terminal
