// evo replay RUN [VARIANT]
#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "engine/replay.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int replay_command(const Options& options) {
  const ReplayOptions& wanted = options.replay;
  const session::OpenedRun run = session::open_run(wanted.run);
  const auto ledger = session::open_ledger_for_reading(run.folder);
  const auto meta = ledger->meta();
  if (!meta)
    throw model::Exception(model::ExitCode::usage, fmt::format("{} holds no trial to replay", wanted.run));
  engine::ReplayOptions replay;
  replay.threads = session::threads_or_cores(wanted.threads);
  replay.stop = stop_on_signals();
  session::StackOptions parts;
  parts.threads = replay.threads;
  parts.input_seed = meta->input_seed;
  session::EvaluationStack stack(
      run.experiment, session::choose_devices(run.experiment.device, run.experiment.target), parts);
  replay.latency_model = stack.latency_model();
  const engine::ReplayReport report =
      wanted.variant.empty()
          ? engine::replay_run(run.experiment, stack.ladder(), *ledger, replay)
          : engine::replay_variant(run.experiment, stack.ladder(), *ledger,
                                   session::variant_of_trial(session::find_variant(
                                       ledger->trials(), wanted.variant, ledger->events())),
                                   replay);
  if (options.common.json) {
    terminal::print_json(terminal::replay_to_json(report));
  } else {
    for (const engine::Mismatch& m : report.mismatches) {
      fmt::print("{} row {}, {}: the ledger says '{}', the replay found '{}'\n", m.table, m.index, m.field,
                 m.expected, m.got);
    }
    fmt::print("{} of {} trials replayed: {}\n", report.trials, report.trials,
               report.match() ? "every proposal and verdict matches"
                              : fmt::format("{} mismatches", report.mismatches.size()));
  }
  return static_cast<int>(report.match() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
