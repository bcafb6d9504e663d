// evo resume RUN
#include <algorithm>

#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "engine/ledger.hpp"
#include "session/evaluation_stack.hpp"
#include "session/run_folder.hpp"

namespace evo::cli {

int resume_command(const Options& options) {
  const session::OpenedRun run = session::open_run(options.resume.run);
  const engine::RunLock lock(run.folder.path);
  const auto ledger = engine::open_sqlite_ledger(run.folder.ledger(), engine::LedgerMode::write);
  RunSettings settings;
  settings.threads = options.resume.threads;
  settings.look = options.resume.look;
  settings.farm = options.resume.farm;
  settings.idle_checks = options.resume.idle_checks;
  // Killed before the first commit: nothing was drawn from the entropy yet.
  const auto meta = ledger->meta();
  settings.input_seed = meta ? meta->input_seed : run.experiment.input_seed.value_or(session::draw_entropy());
  // The search does not look at it, and neither does the hash of the experiment: the run stays the same.
  model::Experiment experiment = run.experiment;
  experiment.budget.insight_checks =
      std::max(experiment.budget.insight_checks, options.resume.insight_checks);
  return run_session(options.common, experiment, run.folder, *ledger, settings);
}

}  // namespace evo::cli
