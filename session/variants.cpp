#include "session/variants.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/lead.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "session/reduction.hpp"

namespace evo::session {

std::unique_ptr<engine::Ledger> open_ledger_for_reading(const RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.ledger(), ignored)) {
    throw no_run_folder(folder.path);
  }
  return engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::read);
}

const engine::EventRecord* champion_event(const std::vector<engine::EventRecord>& events) {
  const engine::EventRecord* decided = nullptr;
  for (const engine::EventRecord& event : events) {
    if (event.kind == engine::event_kinds::champion_proven ||
        event.kind == engine::event_kinds::champion_refused)
      decided = &event;
  }
  return decided;
}

const engine::TrialRecord* find_champion(const std::vector<engine::TrialRecord>& trials,
                                         const std::vector<engine::EventRecord>& events) {
  const engine::EventRecord* const decided = champion_event(events);
  if (decided == nullptr) return engine::champion_of(trials);
  if (decided->kind == engine::event_kinds::champion_refused) return nullptr;
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const engine::TrialRecord& trial) {
    return trial.index == decided->trial;
  });
  return found == trials.end() ? nullptr : &*found;
}

std::optional<engine::TrialRecord> final_champion(const std::vector<engine::TrialRecord>& trials,
                                                  const std::vector<engine::EventRecord>& events) {
  const engine::TrialRecord* found = find_champion(trials, events);
  if (found == nullptr) return std::nullopt;
  const auto reduction = find_reduction(events, *found);
  return reduction && reduction->stands() ? reduction->trial : *found;
}

const std::string& variant_of_trial(const engine::TrialRecord& record) {
  return record.operator_name == reduction_operator ? record.parents.front() : record.variant;
}

std::vector<engine::TrialRecord> finalists_of(const std::vector<engine::TrialRecord>& trials,
                                              const engine::TrialRecord& champion, std::size_t most) {
  std::vector<engine::TrialRecord> finalists;
  for (const engine::TrialRecord& trial : trials) {
    if (trial.correct() && trial.latency() && trial.variant != champion.variant) finalists.push_back(trial);
  }
  std::stable_sort(finalists.begin(), finalists.end(),
                   [](const engine::TrialRecord& a, const engine::TrialRecord& b) {
                     return a.latency()->microseconds < b.latency()->microseconds;
                   });
  finalists.insert(finalists.begin(), champion);
  if (finalists.size() > most) finalists.resize(most);
  return finalists;
}

engine::TrialRecord find_variant(const std::vector<engine::TrialRecord>& trials, const std::string& name,
                                 const std::vector<engine::EventRecord>& events) {
  const auto champion = final_champion(trials, events);
  if (name.empty() || name == "champion") {
    if (champion) return *champion;
    throw model::Exception(model::ExitCode::usage,
                           "the run has no champion: nothing in it is proven, or what was has been refused");
  }
  if (name == "baseline") {
    if (!trials.empty()) return trials.front();
    throw model::Exception(model::ExitCode::usage, "the run has no trial yet");
  }
  const engine::TrialRecord* found = nullptr;
  std::set<std::string> matches;
  for (const engine::TrialRecord& trial : trials) {
    if (!trial.variant.starts_with(name)) continue;
    if (!found) found = &trial;
    matches.insert(trial.variant);
  }
  if (champion && champion->variant.starts_with(name) && matches.insert(champion->variant).second)
    found = &*champion;
  if (matches.size() > 1) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("'{}' fits {} variants; type more of it", name, matches.size()));
  }
  if (!found) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("the run has no variant '{}' (evo lineage lists them)", name));
  }
  return *found;
}

std::vector<engine::TrialRecord> ancestors(const std::vector<engine::TrialRecord>& trials,
                                           const std::string& variant) {
  std::set<std::string> wanted{variant};
  std::vector<engine::TrialRecord> path;
  for (auto trial = trials.rbegin(); trial != trials.rend(); ++trial) {
    if (!wanted.contains(trial->variant) || trial->status == model::Status::duplicate) continue;
    wanted.insert(trial->parents.begin(), trial->parents.end());
    path.insert(path.begin(), *trial);
  }
  return path;
}

ProvenVariant proven_variant(const model::Experiment& experiment, const engine::TrialRecord& trial,
                             std::string_view done) {
  // The code of a correct variant is correct, whoever it stands for: a champion with fewer edits may be a
  // duplicate.
  const bool same_code = trial.status == model::Status::duplicate && !trial.latencies.empty();
  if (!trial.correct() && !same_code) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} was not proven correct ({}): only proven variants are {}",
                                       trial.variant, model::name_of(trial.status), done));
  }
  const engine::SearchSpace space = engine::make_search_space(experiment);
  if (const engine::SearchTemplate* entry = space.find(trial.template_name)) {
    ProvenVariant proven{*entry, model::make_variant(entry->kernel_template, entry->space, trial.genome)};
    if (proven.variant.id == trial.variant && model::sha256(proven.variant.source) == trial.source_hash)
      return proven;
  }
  throw model::Exception(
      model::ExitCode::verification_failed,
      fmt::format("the source of {} is not the one that was proven: {} changed since the run", trial.variant,
                  experiment.problem.folder));
}

}  // namespace evo::session
