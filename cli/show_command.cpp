// evo show RUN [VARIANT]: one trial with all that the ledger keeps of it; needs neither NVRTC nor a device.
#include <algorithm>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "engine/counter_records.hpp"
#include "model/error.hpp"
#include "session/load.hpp"
#include "session/reduction.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "terminal/json_output.hpp"
#include "terminal/trial_output.hpp"

namespace evo::cli {
namespace {

/// That of the run's experiment; where it cannot be read, the default.
double band_of(const session::RunFolder& folder) {
  try {
    return session::load_experiment_or_throw(folder.experiment().string(), {}).gates.timing_resolution;
  } catch (const model::Exception&) {
    return model::GateSettings{}.timing_resolution;
  }
}

engine::TrialRecord asked_for(const ShowOptions& show, const std::vector<engine::TrialRecord>& trials,
                              const std::vector<engine::EventRecord>& events) {
  if (!show.trial) return session::find_variant(trials, show.variant, events);
  if (!show.variant.empty())
    throw model::Exception(model::ExitCode::usage, "show takes a variant or --trial, not both");
  const auto found = std::ranges::find(trials, *show.trial, &engine::TrialRecord::index);
  if (found == trials.end())
    throw model::Exception(model::ExitCode::usage,
                           trials.empty() ? std::string("the run has no trial yet")
                                          : fmt::format("the run has no trial {}: they are 0 to {}",
                                                        *show.trial, trials.back().index));
  return *found;
}

}  // namespace

int show_command(const Options& options) {
  const session::RunFolder folder{options.show.run};
  const auto ledger = session::open_ledger_for_reading(folder);
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  terminal::ShownTrial shown{asked_for(options.show, trials, ledger->events()), {}, {}, {}, {}};
  shown.baseline = trials.front();
  // A reduced champion is no trial: what was timed of it is its final verdict.
  const bool is_trial = shown.trial.operator_name != session::reduction_operator;
  if (is_trial) {
    shown.samples = ledger->samples(shown.trial.index);
    const auto events = ledger->events();
    const engine::CountedTrials counted = engine::counted_trials(events);
    if (const auto found = counted.find(shown.trial.index); found != counted.end())
      shown.counters = found->second;
    engine::TieHistory ties(band_of(folder));
    for (const engine::TrialRecord& trial : trials) {
      auto tie = ties.add(trial);
      if (trial.index == shown.trial.index) {
        shown.tie = std::move(tie);
        break;
      }
    }
  }
  if (options.common.json) {
    terminal::print_json(terminal::trial_to_json(shown));
  } else if (options.show.samples) {
    fmt::print("{}", terminal::samples_csv(shown.samples));
  } else {
    fmt::print("{}", terminal::trial_text(shown));
  }
  return 0;
}

}  // namespace evo::cli
