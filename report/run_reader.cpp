#include "report/run_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "model/error.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "session/version.hpp"

namespace evo::report {
namespace {

constexpr std::size_t named_issues = 3;

void load_experiment(RunView& view, const session::RunFolder& folder) {
  try {
    view.experiment = session::load_experiment_or_throw(folder.experiment().string(), {});
    view.has_experiment = true;
  } catch (const std::exception& error) {
    view.notices.push_back(fmt::format(
        "the experiment cannot be read, so that the target and the sources are missing: {}", error.what()));
  }
}

void tell_issues(RunView& view) {
  const auto& issues = view.ledger.issues;
  if (issues.empty()) return;
  std::string text = fmt::format("the ledger is damaged or was altered in {} place{}: ", issues.size(),
                                 issues.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(issues.size(), named_issues); ++i)
    text += (i > 0 ? "; " : "") + issues[i].message;
  if (issues.size() > named_issues) text += "; ...";
  view.notices.push_back(text + ". What is shown is what could be read");
}

bool has_event(const engine::LedgerRemains& ledger, std::string_view kind) {
  return std::any_of(ledger.events.begin(), ledger.events.end(),
                     [&](const engine::EventRecord& event) { return event.kind == kind; });
}

void tell_state(RunView& view) {
  switch (view.state) {
    case RunState::running:
      view.notices.push_back("the run is still going on: this is how it stood when the report was written");
      break;
    case RunState::stopped:
      view.notices.push_back("the run has not come to its end; evo resume continues it");
      break;
    case RunState::finished:
      break;
  }
  if (view.all.count == 0) view.notices.push_back("the ledger holds no trial yet");
  if (const auto& meta = view.ledger.meta; meta && meta->evo_version != session::version_number())
    view.notices.push_back(fmt::format("the run was made by evo {}, this report by evo {}", meta->evo_version,
                                       session::version_number()));
}

engine::Tally tally_of(const model::Experiment& experiment, Remembered* remembered) {
  if (remembered == nullptr || experiment.resolved_yaml.empty()) return engine::Tally(experiment);
  // The problem's files decide it too: where they change meanwhile, the number stays that of the first
  // reading.
  const auto known = remembered->spaces.find(experiment.resolved_yaml);
  if (known != remembered->spaces.end()) return {experiment, known->second};
  engine::Tally tally(experiment);
  remembered->spaces.emplace(experiment.resolved_yaml, tally.progress().legal_genomes);
  return tally;
}

engine::CampaignStatus status_of(const std::vector<engine::EventRecord>& events) {
  engine::CampaignStatus said = engine::CampaignStatus::interrupted;
  for (const engine::EventRecord& event : events) {
    const auto name = event.details.find("status");
    if (event.kind != engine::event_kinds::finished || name == event.details.end()) continue;
    for (const auto status :
         {engine::CampaignStatus::done, engine::CampaignStatus::interrupted, engine::CampaignStatus::budget,
          engine::CampaignStatus::no_valid_candidate, engine::CampaignStatus::baseline_invalid}) {
      if (name->second == engine::name_of(status)) said = status;
    }
  }
  return said;
}

}  // namespace

void RunReader::begin() {
  const session::RunFolder folder{path_};
  std::error_code ignored;
  view_ = {};
  view_.folder = path_;
  view_.name = std::filesystem::weakly_canonical(path_, ignored).filename().string();
  wanted_.clear();
  mark_ = {};
  load_experiment(view_, folder);
  view_.all.ties = engine::TieHistory(view_.experiment.gates.timing_resolution);
  walk_.emplace(tally_of(view_.experiment, how_.remembered), view_.experiment, how_.most);
  walk_->tally.keep_no_trials();
}

/// Each trial is counted in its turn and let go, so that a million of them need no room.
void RunReader::take(engine::TrialRecord&& trial) {
  if (how_.see) how_.see(view_, trial);
  AllTrials& all = view_.all;
  ++all.count;
  all.missing += trial.index - walk_->due;
  walk_->due = trial.index + 1;
  walk_->tally.add(trial);
  walk_->lineage.add(trial);
  all.funnel.add(trial);
  all.costs.add(trial);
  all.crew.add(trial);
  all.timings.add(trial);
  all.ties.add(trial);
  const bool asks = ModelTrials::asks_for_parent(trial);
  all.models.add(trial, asks ? walk_->listing.latency_us(trial.parents.front()) : std::nullopt);
  walk_->bandit.add(trial);
  if (view_.experiment.search.screen.on()) all.screened.push_back(session::screen_trial(trial));
  walk_->listing.add(std::move(trial));
}

/// Of the trials that are listed, those that have to be read for it. `remains`: has all events that are new.
std::vector<std::int64_t> RunReader::missing(const engine::LedgerRemains& remains) {
  const Listing& listing = walk_->listing;
  if (listing.holds_all()) return {};
  std::vector<engine::EventRecord> events = view_.ledger.events;
  events.insert(events.end(), remains.events.begin(), remains.events.end());
  const engine::EventRecord* const decided = session::champion_event(events);
  wanted_ = listing.wanted(decided == nullptr ? std::nullopt : std::optional(decided->trial));
  std::vector<std::int64_t> have, read;
  for (const engine::TrialRecord& trial : view_.ledger.trials) have.push_back(trial.index);
  std::set_difference(wanted_.begin(), wanted_.end(), have.begin(), have.end(), std::back_inserter(read));
  return read;
}

/// `read`: those that missing() named. Of a run that lists all, the listing has them.
void RunReader::put_trials(std::vector<engine::TrialRecord> read) {
  std::vector<engine::TrialRecord>& trials = view_.ledger.trials;
  AllTrials& all = view_.all;
  all.device_seconds_until.clear();
  if (walk_->listing.holds_all()) {
    trials = walk_->listing.take();
    return;
  }
  std::erase_if(trials, [&](const engine::TrialRecord& trial) {
    return !std::binary_search(wanted_.begin(), wanted_.end(), trial.index);
  });
  const auto middle = static_cast<std::ptrdiff_t>(trials.size());
  std::move(read.begin(), read.end(), std::back_inserter(trials));
  std::inplace_merge(trials.begin(), trials.begin() + middle, trials.end(),
                     [](const auto& a, const auto& b) { return a.index < b.index; });
  for (const engine::TrialRecord& trial : trials)
    all.device_seconds_until.push_back(walk_->listing.device_seconds_until(trial.index));
}

void RunReader::read_all() {
  begin();
  ++rounds_;
  engine::LedgerRemains remains = engine::read_remains(
      session::RunFolder{path_}.ledger(), [&](engine::TrialRecord&& trial) { take(std::move(trial)); },
      [&](const engine::LedgerRemains& rest) { return missing(rest); }, &mark_);
  std::vector<engine::TrialRecord> read = std::exchange(remains.trials, {});
  view_.ledger = std::move(remains);
  put_trials(std::move(read));
}

/// False where the whole has to be read.
bool RunReader::read_more() {
  if (!walk_ || !view_.has_experiment || mark_.trials.hash.empty() || !view_.ledger.issues.empty())
    return false;
  Listing& listing = walk_->listing;
  if (listing.holds_all()) listing.give_back(std::exchange(view_.ledger.trials, {}));
  auto news = engine::read_news(
      session::RunFolder{path_}.ledger(), mark_, [&](engine::TrialRecord&& trial) { take(std::move(trial)); },
      [&](const engine::LedgerRemains& rest) { return missing(rest); });
  if (!news) return false;
  engine::LedgerRemains& ledger = view_.ledger;
  const auto append = [](auto& list, auto& more) {
    std::move(more.begin(), more.end(), std::back_inserter(list));
  };
  ledger.meta = std::move(news->meta);
  append(ledger.generations, news->generations);
  append(ledger.insights, news->insights);
  append(ledger.events, news->events);
  put_trials(std::move(news->trials));
  view_.notices.clear();
  return true;
}

/// engine::summarize() of what is there, with the champion that was proven in the end.
void RunReader::sum_up() {
  view_.all.bandit = walk_->bandit.finish(view_.ledger.events);
  view_.result.status = status_of(view_.ledger.events);
  view_.result.lineage_sha256 = walk_->lineage.so_far();
  view_.result.progress = walk_->tally.progress();
  view_.result.progress.champion.reset();
  if (auto champion = session::final_champion(view_.ledger.trials, view_.ledger.events);
      champion && champion->latency())
    view_.result.progress.champion = std::move(*champion);
}

RunView& RunReader::read() {
  const session::RunFolder folder{path_};
  std::error_code ignored;
  if (!std::filesystem::exists(folder.ledger(), ignored)) {
    throw session::no_run_folder(path_);
  }
  const bool held = is_held(folder.path);  // before the ledger is read: a run that ends meanwhile is finished
  try {
    if (!read_more()) read_all();
  } catch (...) {
    walk_.reset();
    throw;
  }
  sum_up();
  const bool finished = has_event(view_.ledger, engine::event_kinds::finished);
  view_.state = held ? RunState::running : finished ? RunState::finished : RunState::stopped;
  tell_state(view_);
  tell_issues(view_);
  if (view_.all.missing > 0)
    view_.notices.push_back(fmt::format("{} trials are missing in the ledger", view_.all.missing));
  return view_;
}

}  // namespace evo::report
