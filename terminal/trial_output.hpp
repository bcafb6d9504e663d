// One trial of a run with all that the ledger keeps of it: `evo show`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "engine/lead.hpp"
#include "engine/trial.hpp"
#include "model/counters.hpp"

namespace evo::terminal {

struct ShownTrial {
  engine::TrialRecord trial;
  engine::TrialRecord baseline;
  std::optional<engine::Tie> tie;                   ///< with the champion of its moment
  std::vector<model::SampleSeries> samples;         ///< raw; none of a modelled latency
  std::optional<model::CounterReading> counters{};  ///< that the profile gate counted
};

/// A screen of lines.
[[nodiscard]] std::string trial_text(const ShownTrial& shown);
/// docs/reference/json.md, `show`.
[[nodiscard]] boost::json::object trial_to_json(const ShownTrial& shown);
/// The raw samples as lines of comma-separated values under a head: workload,side,sample,us.
[[nodiscard]] std::string samples_csv(const std::vector<model::SampleSeries>& samples);

}  // namespace evo::terminal
