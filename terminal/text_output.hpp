// What a person reads: the same facts as the JSON documents.
#pragma once

#include <string>
#include <vector>

#include "engine/campaign.hpp"
#include "engine/replay.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "model/experiment.hpp"
#include "model/verdict.hpp"

namespace evo::terminal {
/// Of ancestors(): the genes that each step changed, and its gain where it was timed in turn with the
/// champion.
[[nodiscard]] std::string path_text(const std::vector<engine::TrialRecord>& trials);

/// "12.31 us [12.28, 12.35]" or "12.31 us (modelled)".
[[nodiscard]] std::string latency_text(const model::Latency& latency);
/// One block an evidence: where, what, details.
[[nodiscard]] std::string evidence_text(const std::vector<model::Evidence>& evidence);
/// The end of a run: status, counts, baseline, champion and its genes, where the time went.
[[nodiscard]] std::string report_text(const std::string& run, const model::Experiment& experiment,
                                      const engine::RunMeta& meta, const engine::CampaignResult& result,
                                      const std::vector<evaluators::gates::GateTime>& times);
/// A line for each gate that used a GPU: its device time per candidate that it let through. Empty on the
/// virtual device.
[[nodiscard]] std::string device_time_text(const std::vector<evaluators::gates::GateTime>& times);
/// A row a gate: trials, wall, CPU and device seconds, and seconds of waiting; then device_time_text().
[[nodiscard]] std::string times_text(const std::vector<evaluators::gates::GateTime>& times);
[[nodiscard]] std::string lineage_text(const std::vector<engine::TrialRecord>& trials);
/// Of ancestors(): the genes that each step changed, and its gain where it was timed in turn with the
/// champion.
[[nodiscard]] std::string path_text(const std::vector<engine::TrialRecord>& trials);
[[nodiscard]] std::string insights_text(const std::vector<model::Insights>& insights);

}  // namespace evo::terminal
