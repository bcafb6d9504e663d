// The loop before an evaluator that is a script: no compiler, no device, milliseconds.
#include <chrono>
#include <functional>
#include <limits>
#include <set>
#include <stop_token>
#include <thread>

#include "engine/campaign.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/evaluator.hpp"
#include "model/hash.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "suites/attack_checks.hpp"

namespace evo::suites {
namespace {

using model::Status;

class Script final : public evaluators::Evaluator {
 public:
  std::function<std::string(const model::Variant&)> identity = [](const model::Variant& variant) {
    return variant.id;
  };
  std::function<bool(const model::Variant&)> fails = [](const model::Variant&) { return false; };
  std::function<double(const model::Variant&)> latency = [](const model::Variant& variant) {
    return 10.0 + static_cast<double>(std::hash<std::string>()(model::sha256(variant.id)) % 1000);
  };
  bool shuffles_time = false;  ///< answers come back in another order than they were asked for

  [[nodiscard]] evaluators::EvaluatorInfo info() const override {
    return {"virtual", "a script", "", "a script", model::LatencyKind::modelled};
  }
  [[nodiscard]] evaluators::Prepared prepare(const model::Variant& variant) override {
    delay(variant);
    evaluators::Prepared prepared;
    prepared.variant = variant;
    prepared.gates = {{model::Gate::legality, std::nullopt, 0},
                      {model::Gate::compile, std::nullopt, 0},
                      {model::Gate::resources, std::nullopt, 0}};
    prepared.artifact = model::Artifact{};
    prepared.code_identity = identity(variant);
    return prepared;
  }
  [[nodiscard]] std::optional<evaluators::Paired> time_paired(const model::Variant&, const model::Variant&,
                                                              double) override {
    return std::nullopt;  // modelled
  }
  [[nodiscard]] evaluators::Evaluation evaluate(const evaluators::Prepared& prepared) override {
    delay(prepared.variant);
    evaluators::Evaluation evaluation;
    evaluation.gates.push_back({model::Gate::sanitize, std::nullopt, 0});
    if (fails(prepared.variant)) {
      evaluation.gates.push_back(
          {model::Gate::correctness,
           model::Failure{Status::wrong, "mismatch", {{"mismatch", "by the script", {}, 0, {}}}}, 0});
      return evaluation;
    }
    evaluation.gates.push_back({model::Gate::correctness, std::nullopt, 0});
    evaluation.gates.push_back({model::Gate::latency, std::nullopt, 0});
    model::Latency time;
    time.microseconds = latency(prepared.variant);
    time.kind = model::LatencyKind::modelled;
    evaluation.latencies.push_back({"w", 1, time});
    return evaluation;
  }

 private:
  void delay(const model::Variant& variant) const {
    if (!shuffles_time) return;
    const auto draw = std::hash<std::string>()(variant.id + "t") % 3;
    std::this_thread::sleep_for(std::chrono::milliseconds(draw));
  }
};

model::Experiment small_campaign() {
  model::Experiment experiment = session::hand_made("attack", session::load_problem_or_throw("vector_add"));
  experiment.templates = {experiment.baseline_template};
  experiment.workloads = {experiment.problem.check_workloads.back()};
  experiment.search.population = 8;
  experiment.search.generations = 4;
  experiment.search.max_in_flight = 4;
  experiment.budget.trials = 30;
  config::complete_workloads(experiment);
  return experiment;
}

struct Run {
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
  engine::CampaignResult result;
};

void go_on(Run& run, const model::Experiment& experiment, Script& script,
           const engine::CampaignOptions& options) {
  run.result = engine::run_campaign(experiment, script, *run.ledger, 1, options);
}

Run whole_run(const model::Experiment& experiment, Script& script, int threads = 1) {
  Run run;
  engine::CampaignOptions options;
  options.threads = options.device_threads = threads;
  go_on(run, experiment, script, options);
  return run;
}

/// Half of all variants are wrong, by their names.
bool wrong_by_name(const model::Variant& variant) {
  return !variant.id.empty() && variant.id.back() % 2 == 0;
}

/// As above, but the baseline is correct.
std::function<bool(const model::Variant&)> half_fail(const model::Experiment& experiment) {
  return [baseline = experiment.baseline](const model::Variant& variant) {
    return wrong_by_name(variant) && variant.genome.text() != baseline.text();
  };
}

class StopAfter final : public engine::CampaignObserver {
 public:
  StopAfter(std::int64_t trials, std::stop_source& stop) : trials_(trials), stop_(stop) {}
  void on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress&) override {
    if (trial.index + 1 >= trials_) stop_.request_stop();
  }

 private:
  std::int64_t trials_;
  std::stop_source& stop_;
};

}  // namespace

CaughtBy inert_mutation() {
  Script script;
  script.identity = [](const model::Variant&) { return "one code for all"; };
  const Run run = whole_run(small_campaign(), script);
  const auto trials = run.ledger->trials();
  if (trials.size() < 2) return {};
  for (const engine::TrialRecord& trial : trials) {
    if (trial.index > 0 && trial.status != Status::duplicate) return {};
  }
  return {"engine", "no_op"};
}

CaughtBy budget_overrun() {
  const model::Experiment experiment = small_campaign();
  Script script;
  script.fails = half_fail(experiment);
  const Run run = whole_run(experiment, script, 4);
  const bool kept = std::ssize(run.ledger->trials()) == experiment.budget.trials;
  return kept ? CaughtBy{"engine", "budget"} : CaughtBy{};
}

CaughtBy broken_lineage() {
  const model::Experiment experiment = small_campaign();
  Script script;
  script.fails = half_fail(experiment);
  const Run run = whole_run(experiment, script, 4);
  std::set<std::pair<int, int>> slots;
  std::set<std::string> earlier;
  std::int64_t index = 0;
  for (const engine::TrialRecord& trial : run.ledger->trials()) {
    if (trial.index != index++ || !slots.emplace(trial.generation, trial.slot).second) return {};
    const std::set<std::string> parents(trial.parents.begin(), trial.parents.end());
    if (parents.size() != trial.parents.size()) return {};
    for (const std::string& parent : parents) {
      if (!earlier.contains(parent)) return {};
    }
    earlier.insert(trial.variant);
  }
  return {"engine", "lineage"};
}

CaughtBy interrupted_run() {
  const model::Experiment experiment = small_campaign();
  Script script;
  script.fails = half_fail(experiment);
  const Run undisturbed = whole_run(experiment, script);
  for (const std::int64_t after : {1, 7, 12, 29}) {
    Run run;
    std::stop_source stop;
    StopAfter observer(after, stop);
    engine::CampaignOptions options;
    options.stop = stop.get_token();
    options.observer = &observer;
    go_on(run, experiment, script, options);
    go_on(run, experiment, script, {});
    if (run.result.lineage_sha256 != undisturbed.result.lineage_sha256) return {};
  }
  return {"engine", "same_lineage"};
}

CaughtBy completion_order() {
  const model::Experiment experiment = small_campaign();
  Script script;
  script.fails = half_fail(experiment);
  const Run alone = whole_run(experiment, script);
  script.shuffles_time = true;
  const Run many = whole_run(experiment, script, 8);
  return alone.result.lineage_sha256 == many.result.lineage_sha256 ? CaughtBy{"engine", "same_lineage"}
                                                                   : CaughtBy{};
}

CaughtBy lost_failures() {
  const model::Experiment experiment = small_campaign();
  Script script;
  script.fails = half_fail(experiment);
  const Run run = whole_run(experiment, script);
  int failures = 0;
  for (const engine::TrialRecord& trial : run.ledger->trials()) {
    if (trial.status != Status::wrong) continue;
    if (trial.reason != "mismatch" || trial.evidence.empty() || !trial.gate) return {};
    ++failures;
  }
  return failures > 0 ? CaughtBy{"ledger", "kept"} : CaughtBy{};
}

CaughtBy no_time_at_all() {
  for (const double microseconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const model::Experiment experiment = small_campaign();
    Script script;
    script.latency = [&](const model::Variant& variant) {
      return variant.genome.text() == experiment.baseline.text() ? 10.0 : microseconds;
    };
    const Run run = whole_run(experiment, script);
    for (const engine::TrialRecord& trial : run.ledger->trials()) {
      const bool told = trial.status == Status::quarantined && trial.reason == "latency_unusable";
      if (trial.index > 0 && trial.status != Status::duplicate && !told) return {};
    }
  }
  return {"engine", "latency_unusable"};
}

}  // namespace evo::suites
