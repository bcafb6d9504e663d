// What language models cost a run and gave it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  std::int64_t proposed = 0, correct = 0, better = 0;
  std::int64_t compared = 0;  ///< predictions beside which a latency stands
  double error = 0;           ///< sum over `compared` of |ln predicted - ln obtained|

  /// The factor by which predictions are off, as their geometric mean; 1 is never. Of compared > 0.
  [[nodiscard]] double off_by() const;
};

/// What became of the models' proposals, taken in trial by trial.
class ModelTrials {
 public:
  /// `before_us`: the latency of the first parent's first trial, if there is one.
  void add(const engine::TrialRecord& trial, const std::optional<double>& before_us);
  /// True for a trial of which add() wants to know that latency.
  [[nodiscard]] static bool asks_for_parent(const engine::TrialRecord& trial);
  [[nodiscard]] const std::map<std::string, ModelCounts>& counts() const { return counts_; }

 private:
  std::map<std::string, ModelCounts> counts_;
};

/// By the model's name; empty where none was asked.
[[nodiscard]] std::map<std::string, ModelCounts> model_counts(const std::vector<engine::EventRecord>& events,
                                                              const ModelTrials& trials);
[[nodiscard]] std::map<std::string, ModelCounts> model_counts(const std::vector<engine::EventRecord>& events,
                                                              std::span<const engine::TrialRecord> trials);

/// [{"model", "requests", "input_tokens", "output_tokens", "money", "accepted", "refused", "proposed",
/// "right", "better", "compared", "off_by"}]; "money" by the experiment's prices of the tokens.
[[nodiscard]] boost::json::array models_json(const model::Experiment& experiment,
                                             const std::vector<engine::EventRecord>& events,
                                             const ModelTrials& trials);

}  // namespace evo::report
