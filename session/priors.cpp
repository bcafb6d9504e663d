#include "session/priors.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "config/experiment_starts.hpp"
#include "config/resolved.hpp"
#include "engine/search_space.hpp"
#include "model/error.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;

[[noreturn]] void refuse(const model::Prior& prior, const std::string& why) {
  throw model::Exception(model::ExitCode::invalid_configuration,
                         fmt::format("{}: priors: {}: {}", prior.place, prior.run, why));
}

/// The champion, the fastest of each other template, the others by latency; no source twice.
std::vector<TrialRecord> best_designs(const std::vector<TrialRecord>& trials, const TrialRecord& champion) {
  const std::vector<TrialRecord> ranked = finalists_of(trials, champion, trials.size());
  std::vector<TrialRecord> best;
  std::set<std::string> sources;
  std::set<std::string> templates;
  const auto take = [&](const TrialRecord& trial) {
    if (sources.insert(trial.source_hash).second) best.push_back(trial);
  };
  for (const TrialRecord& trial : ranked) {
    if (templates.insert(trial.template_name).second) take(trial);
  }
  for (const TrialRecord& trial : ranked) take(trial);
  return best;
}

/// Why the design cannot be tried here; empty if it can.
std::string illegal(const engine::SearchSpace& space, const TrialRecord& trial) {
  const engine::SearchTemplate* entry = space.find(trial.template_name);
  if (entry == nullptr) return fmt::format("there is no template {} here", trial.template_name);
  return entry->space.violation(trial.genome).value_or("");
}

struct Taken {
  int designs = 0;
  int known = 0;  ///< the baseline, or another run's as well
  std::vector<std::string> refused;
};

Taken take(const model::Prior& prior, const engine::SearchSpace& space,
           const std::vector<TrialRecord>& designs, model::Experiment& experiment) {
  Taken taken;
  for (const TrialRecord& trial : designs) {
    if (taken.designs == prior.best) break;
    if (const std::string why = illegal(space, trial); !why.empty()) {
      taken.refused.push_back(fmt::format("trial {}: {}", trial.index, why));
    } else if (config::add_start(experiment, {trial.template_name, trial.genome,
                                              fmt::format("{}, trial {}", prior.run, trial.index)})) {
      ++taken.designs;
    } else {
      ++taken.known;
    }
  }
  return taken;
}

}  // namespace

std::vector<std::string> take_priors(model::Experiment& experiment) {
  std::vector<std::string> notes;
  if (experiment.priors.empty()) return notes;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  for (const model::Prior& prior : experiment.priors) {
    std::unique_ptr<engine::Ledger> ledger;
    try {
      ledger = open_ledger_for_reading(RunFolder{prior.run});
    } catch (const model::Exception& nothing) {
      refuse(prior, nothing.what());
    }
    const std::vector<TrialRecord> trials = ledger->trials();
    const TrialRecord* champion = find_champion(trials, ledger->events());
    if (champion == nullptr) refuse(prior, "the run has proven nothing");
    const Taken taken = take(prior, space, best_designs(trials, *champion), experiment);
    if (taken.designs + taken.known == 0)
      refuse(prior, "none of its designs is legal here; " + taken.refused.front());
    const auto meta = ledger->meta();
    if (meta && meta->problem_hash != experiment.problem.content_hash)
      notes.push_back(fmt::format("{}: its problem is another, or has changed since", prior.run));
    if (!taken.refused.empty())
      notes.push_back(fmt::format("{}: {} of its designs are not legal here, the first: {}", prior.run,
                                  taken.refused.size(), taken.refused.front()));
    notes.push_back(fmt::format(
        "{}: {} of its designs are tried directly behind the baseline{}", prior.run, taken.designs,
        taken.known > 0 ? fmt::format("; {} more stand there already", taken.known) : std::string()));
  }
  experiment.priors.clear();
  experiment.resolved_yaml = config::resolved_yaml(experiment);
  return notes;
}

}  // namespace evo::session
