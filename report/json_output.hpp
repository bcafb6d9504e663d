// The parts of the documents that --json prints and the report page holds; docs/reference/json.md names their
// keys.
#pragma once

#include <vector>

#include <boost/json.hpp>

#include "engine/campaign.hpp"
#include "engine/replay.hpp"
#include "engine/trial.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "model/experiment.hpp"
#include "model/verdict.hpp"

namespace evo::report {

/// What boost::json::serialize() writes, as every reader of JSON takes it. Its strings may hold bytes of
/// another encoding (a line of a Latin-1 source): each that is no UTF-8 becomes the escape of the character
/// with its number. Infinity and NaN, which JSON does not have, become null.
[[nodiscard]] std::string strict_json(std::string_view text);

[[nodiscard]] boost::json::array to_json(const std::vector<model::Evidence>& evidence);
[[nodiscard]] boost::json::value value_to_json(const model::Value& value);
[[nodiscard]] boost::json::value paired_to_json(const std::optional<model::PairedComparison>& paired);
[[nodiscard]] boost::json::object genes_to_json(const model::Genome& genome);
[[nodiscard]] boost::json::object run_to_json(const std::string& run, const model::Experiment& experiment,
                                              const engine::RunMeta& meta,
                                              const engine::CampaignResult& result);
[[nodiscard]] boost::json::object lineage_to_json(const std::vector<engine::TrialRecord>& trials);
[[nodiscard]] boost::json::object insights_to_json(const std::vector<model::Insights>& insights);
[[nodiscard]] boost::json::object replay_to_json(const engine::ReplayReport& report);
/// [{"gate", "trials", "wall_s", "cpu_s", "device_s", "waiting_s", "passed", "device_passed_s"}].
[[nodiscard]] boost::json::array times_to_json(const std::vector<evaluators::gates::GateTime>& times);

}  // namespace evo::report
