// evo resume RUN
#include "cli/assembly.hpp"
#include "cli/run_folder.hpp"
#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "engine/ledger.hpp"

namespace evo::cli {

int resume_command(const Options& options) {
  const OpenedRun run = open_run(options.resume.run);
  const engine::RunLock lock(run.folder.path);
  const auto ledger = engine::open_sqlite_ledger(run.folder.ledger(), engine::LedgerMode::write);
  SessionOptions session;
  session.threads = options.resume.threads;
  // Killed before the first commit: nothing was drawn from the entropy yet.
  const auto meta = ledger->meta();
  session.input_seed = meta ? meta->input_seed : run.experiment.input_seed.value_or(draw_entropy());
  return run_session(options.common, run.experiment, run.folder, *ledger, session);
}

}  // namespace evo::cli
