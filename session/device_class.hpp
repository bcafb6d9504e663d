// What a run's variants are worth on GPUs of another model than the run's: they are proven and timed there
// once more, and have a chain of champions of their own. It looks at the run and never touches it: no trial,
// no seed and no order depends on it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/lead.hpp"
#include "engine/promotion_error.hpp"
#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "session/evaluation_stack.hpp"
#include "session/until_abandoned.hpp"

namespace evo::session {

/// Kind of the event that keeps what one of the run's trials came to on another model; trial = its index;
/// details: class, driver, variant, status, gate, reason, latencies, paired, champion ("taken" where it leads
/// there from then on).
inline constexpr const char* class_trial_event = "class_trial";

/// `experiment` as another model judges by it: bounds on counters hold on the run's own GPUs, and nothing is
/// screened there.
[[nodiscard]] model::Experiment experiment_of_class(model::Experiment experiment);

/// Thread-safe.
class DeviceClass {
 public:
  /// `model`: as the driver calls it. `stack`: of experiment_of_class(), on GPUs of that model;
  /// `most_trials`: that the run can make. `abandoned`: that of the stack's parts (until_abandoned.hpp);
  /// null: what it has begun goes on to its end.
  DeviceClass(model::Experiment experiment, std::string model, std::unique_ptr<EvaluationStack> stack,
              int gpus, std::int64_t most_trials, Abandoned abandoned = nullptr);

  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] int gpus() const { return gpus_; }
  [[nodiscard]] EvaluationStack& stack() const { return *stack_; }

  /// Takes in what earlier sessions found out with this driver, from the run's baseline on: nothing where
  /// what came of that cannot be read. `trials`: the run's.
  void remember(const std::vector<engine::EventRecord>& events,
                const std::vector<engine::TrialRecord>& trials);
  /// Proves and times the variant of a trial of the run, in turn with this model's champion where it seems to
  /// beat it. The first is the run's baseline. Returns what the ledger is to keep. Throws model::Exception
  /// where the environment breaks.
  engine::EventRecord try_trial(const engine::TrialRecord& of_run);

  /// What was tried, in that order: the run's indices, with what came of each here.
  [[nodiscard]] std::vector<engine::TrialRecord> trials() const;
  [[nodiscard]] bool has(std::int64_t index) const;
  /// nullopt before the baseline is proven.
  [[nodiscard]] std::optional<engine::TrialRecord> baseline() const;
  [[nodiscard]] std::optional<engine::TrialRecord> champion() const;
  /// Why nothing more is tried here: the baseline is not correct, or its GPUs are gone. Empty: it goes on.
  [[nodiscard]] std::string ended() const;
  void end(const std::string& why);
  /// Whether trials that are under way are given up before their next job: try_trial() throws
  /// model::Exception(interrupted), and keeps nothing of it.
  void abandon(bool now) const {
    if (abandoned_) *abandoned_ = now;
  }
  /// Of this session.
  [[nodiscard]] double device_seconds() const;

 private:
  [[nodiscard]] model::Variant variant_of(const engine::TrialRecord& trial) const;
  void keep(const engine::TrialRecord& tried);

  const model::Experiment experiment_;
  const std::string model_;
  const std::unique_ptr<EvaluationStack> stack_;
  const int gpus_;
  const Abandoned abandoned_;
  const engine::SearchSpace space_;
  std::mutex settling_;  ///< held while one is timed in turn with the champion, who must not change meanwhile
  mutable std::mutex mutex_;
  engine::Lead lead_;
  engine::PromotionError error_;
  std::vector<engine::TrialRecord> trials_;
  std::set<std::int64_t> tried_;
  std::string ended_;
  double device_seconds_ = 0;
};

}  // namespace evo::session
