#include "session/class_outcome.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string_view>

#include "evaluators/gates/ladder.hpp"
#include "session/champion_proof.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

constexpr std::string_view role_of_class = "champion", role_of_run = "run_champion";

/// As many as a run asks for its own champion.
constexpr std::size_t most_asked = 5;

engine::EventRecord event_of(const ProvenThere& proven, const DeviceClass& own, std::string_view role) {
  engine::EventRecord event{class_verdict_event, proven.trial.index, {}};
  if (proven.verdict) event = session::event_of(*proven.verdict, proven.trial.index);
  event.kind = class_verdict_event;
  event.details["class"] = own.model();
  event.details["driver"] = own.stack().ladder().info().driver;
  event.details["variant"] = proven.trial.variant;
  event.details["role"] = role;
  event.details["failed_at"] = proven.failed_at;
  event.details["reason"] = proven.reason;
  return event;
}

std::string class_detail(const engine::EventRecord& event, const std::string& name) {
  const auto found = event.details.find(name);
  return found == event.details.end() ? std::string() : found->second;
}

ProvenThere proven_of(const engine::EventRecord& event, const engine::TrialRecord& trial) {
  ProvenThere proven{trial, class_detail(event, "failed_at"), class_detail(event, "reason"), std::nullopt};
  // The verdict's own event knows how it is written.
  if (const std::string verdict = class_detail(event, "verdict"); !verdict.empty())
    proven.verdict = find_verdict({{final_verdict_event, event.trial, {{"verdict", verdict}}}}, event.trial);
  return proven;
}

std::optional<ProvenThere> known_there(const std::vector<engine::EventRecord>& events, const DeviceClass& own,
                                       const engine::TrialRecord& trial) {
  const std::string driver = own.stack().ladder().info().driver;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind != class_verdict_event || event->trial != trial.index ||
        class_detail(*event, "class") != own.model() || class_detail(*event, "driver") != driver ||
        class_detail(*event, "variant") != trial.variant)
      continue;
    ProvenThere proven = proven_of(*event, trial);
    if (proven.valid() && !proven.verdict) return std::nullopt;
    return proven;
  }
  return std::nullopt;
}

/// Of one class.
class Judge {
 public:
  Judge(const model::Experiment& experiment, DeviceClass& own, engine::Ledger& ledger,
        const std::stop_token& stop)
      : experiment_(experiment), own_(own), ledger_(ledger), stop_(stop) {}

  /// nullopt after a stop.
  std::optional<ProvenThere> prove(const engine::TrialRecord& trial, std::string_view role) {
    if (auto made = known_there(ledger_.events(), own_, trial)) return made;
    const std::uint64_t entropy = draw_entropy();
    const ChampionProof proof = prove_champion(experiment_, own_.stack(), trial, entropy, stop_);
    if (stop_.stop_requested()) return std::nullopt;
    ProvenThere proven{trial, proof.failed_at(), proof.valid() ? "" : proof.failure()->reason, std::nullopt};
    const auto baseline = own_.baseline();
    if (proof.valid() && baseline) {
      proven.verdict =
          judge_champion(experiment_, own_.stack(), *baseline, trial, entropy, stop_, Beside::nothing);
      if (!proven.verdict) return std::nullopt;
    }
    engine::Commit commit;
    commit.events.push_back(event_of(proven, own_, role));
    ledger_.commit(commit);
    return proven;
  }

 private:
  const model::Experiment& experiment_;
  DeviceClass& own_;
  engine::Ledger& ledger_;
  std::stop_token stop_;
};

void judge(ClassOutcome& outcome, const model::Experiment& experiment, DeviceClass& own,
           const engine::TrialRecord* searched, const engine::TrialRecord* champion, engine::Ledger& ledger,
           const std::stop_token& stop) {
  if (searched != nullptr && own.baseline() && !own.has(searched->index)) {
    engine::Commit commit;
    commit.events.push_back(own.try_trial(*searched));
    ledger.commit(commit);
  }
  const auto leader = own.champion();
  if (!leader) return;
  Judge judge(experiment, own, ledger, stop);
  for (const engine::TrialRecord& asked : finalists_of(own.trials(), *leader, most_asked)) {
    outcome.champion = judge.prove(asked, role_of_class);
    if (!outcome.champion || outcome.champion->valid()) break;
  }
  if (champion == nullptr || stop.stop_requested()) return;
  const bool is_same = outcome.champion && outcome.champion->trial.variant == champion->variant;
  outcome.run_champion = is_same ? outcome.champion : judge.prove(*champion, role_of_run);
}

}  // namespace

std::vector<ClassOutcome> classes_of(const std::vector<engine::TrialRecord>& trials,
                                     const std::vector<engine::EventRecord>& events) {
  std::vector<ClassOutcome> found;
  std::map<std::string, std::set<std::int64_t>> tried;
  const auto of = [&](const std::string& model) -> ClassOutcome& {
    const auto known = std::ranges::find(found, model, &ClassOutcome::model);
    if (known != found.end()) return *known;
    found.emplace_back().model = model;
    return found.back();
  };
  for (const engine::EventRecord& event : events) {
    if (event.kind != class_trial_event && event.kind != class_verdict_event) continue;
    ClassOutcome& own = of(class_detail(event, "class"));
    if (event.kind == class_trial_event) {
      tried[own.model].insert(event.trial);
      own.trials = tried[own.model].size();
      continue;
    }
    ProvenThere proven = proven_of(event, {});
    // A reduced champion is no trial: it has its index, and a variant of its own.
    const auto trial = std::ranges::find(trials, event.trial, &engine::TrialRecord::index);
    if (trial != trials.end()) proven.trial = *trial;
    proven.trial.variant = class_detail(event, "variant");
    if (class_detail(event, "role") == role_of_run)
      own.run_champion = std::move(proven);
    else
      own.champion = std::move(proven);
  }
  const auto champion = final_champion(trials, events);
  for (ClassOutcome& own : found) {
    // Of one that is both there is one event.
    if (champion && own.champion && own.champion->trial.variant == champion->variant)
      own.run_champion = own.champion;
  }
  return found;
}

std::vector<ClassOutcome> judge_classes(const model::Experiment& experiment,
                                        const std::vector<std::unique_ptr<DeviceClass>>& classes,
                                        const engine::TrialRecord* searched,
                                        const engine::TrialRecord* champion, engine::Ledger& ledger,
                                        const std::stop_token& stop) {
  const model::Experiment there = experiment_of_class(experiment);
  std::vector<ClassOutcome> outcomes;
  for (const auto& own : classes) {
    ClassOutcome outcome;
    outcome.model = own->model();
    outcome.ended = own->ended();
    if (outcome.ended.empty()) {
      try {
        judge(outcome, there, *own, searched, champion, ledger, stop);
      } catch (const std::exception& error) {
        outcome.ended = error.what();
      }
    }
    outcome.trials = own->trials().size();
    outcome.device_seconds = own->device_seconds();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace evo::session
