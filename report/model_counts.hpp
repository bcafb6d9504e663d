// What language models cost a run and gave it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::report {

struct ModelCounts {
  std::int64_t requests = 0, input_tokens = 0, output_tokens = 0;
  std::int64_t accepted = 0;           ///< replies that became a proposal
  std::map<std::string, int> refused;  ///< reason code -> replies
  std::int64_t proposed = 0, right = 0, better = 0;
  std::int64_t compared = 0;  ///< predictions beside which a latency stands
  double error = 0;           ///< sum over `compared` of |ln predicted - ln obtained|

  /// The factor by which predictions are off, as their geometric mean; 1 is never. Of compared > 0.
  [[nodiscard]] double off_by() const;
};

/// By the model's name; empty where none was asked.
[[nodiscard]] std::map<std::string, ModelCounts> model_counts(const std::vector<engine::EventRecord>& events,
                                                              std::span<const engine::TrialRecord> trials);

/// [{"model", "requests", "input_tokens", "output_tokens", "money", "accepted", "refused", "proposed",
/// "right", "better", "compared", "off_by"}]; "money" by the experiment's prices of the tokens.
[[nodiscard]] boost::json::array models_json(const model::Experiment& experiment,
                                             const std::vector<engine::EventRecord>& events,
                                             std::span<const engine::TrialRecord> trials);

}  // namespace evo::report
