// Metrics of the problem's author, for the reports of a run.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::report {

/// {"large": {"GFLOP/s": 812.5}}: each metric of each workload that the trial was timed on; empty without
/// metrics.
[[nodiscard]] boost::json::object metrics_json(const model::Experiment& experiment,
                                               const engine::TrialRecord& trial);
/// A line for each workload: "  metrics   large: GFLOP/s 812.5, GB/s 90.1".
[[nodiscard]] std::string metrics_text(const model::Experiment& experiment, const engine::TrialRecord& trial);

}  // namespace evo::report
