#include "report/run_view.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/lineage.hpp"
#include "engine/tally.hpp"
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

/// One walk over the ledger: each trial is counted in its turn and let go, so that a million of them need no
/// room. The result is engine::summarize() of what is there, with the champion that was proven in the end.
void walk(RunView& view, const std::filesystem::path& file, const Reading& how) {
  engine::Tally tally = tally_of(view.experiment, how.remembered);
  tally.keep_no_trials();
  engine::LineageHash lineage;
  engine::BanditHistory bandit(view.experiment.search);
  Listing listing(how.most);
  AllTrials& all = view.all;
  std::int64_t due = 0;
  const auto take = [&](engine::TrialRecord&& trial) {
    if (how.see) how.see(view, trial);
    ++all.count;
    all.missing += trial.index - due;
    due = trial.index + 1;
    tally.add(trial);
    lineage.add(trial);
    all.funnel.add(trial);
    all.costs.add(trial);
    all.crew.add(trial);
    const bool asks = ModelTrials::asks_for_parent(trial);
    all.models.add(trial, asks ? listing.latency_us(trial.parents.front()) : std::nullopt);
    bandit.add(trial);
    if (view.experiment.search.screen.on()) all.screened.push_back(session::screen_trial(trial));
    listing.add(std::move(trial));
  };
  const auto again = [&](const engine::LedgerRemains& remains) {
    if (listing.holds_all()) return std::vector<std::int64_t>();
    const engine::EventRecord* const decided = session::champion_event(remains.events);
    return listing.wanted(decided == nullptr ? std::nullopt : std::optional(decided->trial));
  };
  view.ledger = engine::read_remains(file, take, again);
  if (listing.holds_all()) {
    view.ledger.trials = listing.take();
  } else {
    for (const engine::TrialRecord& trial : view.ledger.trials)
      all.device_seconds_until.push_back(listing.device_seconds_until(trial.index));
  }
  all.bandit = bandit.finish(view.ledger.events);
  view.result.status = status_of(view.ledger.events);
  view.result.lineage_sha256 = lineage.finish();
  view.result.progress = tally.progress();
  view.result.progress.champion.reset();
  if (auto champion = session::final_champion(view.ledger.trials, view.ledger.events);
      champion && champion->latency())
    view.result.progress.champion = std::move(*champion);
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

}  // namespace

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::finished:
      return "finished";
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
  }
  return "?";
}

const engine::TrialRecord* RunView::champion() const {
  return session::find_champion(ledger.trials, ledger.events);
}

const engine::TrialRecord* RunView::baseline() const {
  const bool proven =
      !ledger.trials.empty() && ledger.trials.front().index == 0 && ledger.trials.front().right();
  return proven ? &ledger.trials.front() : nullptr;
}

bool is_held(const std::filesystem::path& folder) {
  // To try the lock would take it for a moment, in which a run could not start.
  struct stat status {};
  if (::stat((folder / "lock").c_str(), &status) != 0) return false;
  std::ifstream locks("/proc/locks");
  const std::string inode = fmt::format(":{}", status.st_ino);
  for (std::string line; std::getline(locks, line);) {
    if (line.find("FLOCK") == std::string::npos) continue;
    // "1: FLOCK  ADVISORY  WRITE 4242 08:01:1234 0 EOF"
    const std::size_t at = line.find(inode + " ");
    if (at != std::string::npos) return true;
  }
  return false;
}

RunView read_run(const std::string& path, const Reading& how) {
  const session::RunFolder folder{path};
  std::error_code ignored;
  if (!std::filesystem::exists(folder.ledger(), ignored)) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} is no run folder: it has no ledger.sqlite", path));
  }
  RunView view;
  view.folder = path;
  view.name = std::filesystem::weakly_canonical(path, ignored).filename().string();
  const bool held = is_held(folder.path);  // before the ledger is read: a run that ends meanwhile is finished
  load_experiment(view, folder);
  walk(view, folder.ledger(), how);
  const bool finished = has_event(view.ledger, engine::event_kinds::finished);
  view.state = held ? RunState::running : finished ? RunState::finished : RunState::stopped;
  tell_state(view);
  tell_issues(view);
  if (view.all.missing > 0)
    view.notices.push_back(fmt::format("{} trials are missing in the ledger", view.all.missing));
  return view;
}

}  // namespace evo::report
