// evo tune KERNEL.cu --reference REF.cu --axis n=N --gene G=A,B: a whole run from one line.
#include <filesystem>

#include <fmt/format.h>

#include "cli/intake_output.hpp"
#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "config/resolved.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"

namespace evo::cli {
namespace fs = std::filesystem;

int tune_command(const Options& options) {
  const TuneOptions& wanted = options.tune;
  if (wanted.intake.reference.empty())
    throw model::Exception(model::ExitCode::usage,
                           "tune needs --reference FILE.cu: a naive kernel that says what is right (evo new "
                           "writes one to fill in)");
  const intake::Draft draft = draft_of(options.common, wanted.intake, intake::Purpose::run);
  if (!options.common.quiet) fmt::print(stderr, "{}", inferred_text(draft, wanted.intake.kernel));

  const session::RunFolder folder = session::create_run(
      wanted.run_dir.empty() ? session::new_run_path(draft.name) : fs::path(wanted.run_dir));
  const intake::WrittenFolder written = intake::write_folder(draft, folder.path / "problem", true);
  const std::string file = (written.folder / "experiment.yaml").string();
  if (!options.common.quiet)
    fmt::print(stderr, "kept as {}; evo run {} repeats this run\n", written.folder.string(), file);
  config::Overrides overrides = session::parse_overrides(wanted.set);
  if (wanted.seed) overrides.emplace_back("search.seed", std::to_string(*wanted.seed));
  if (wanted.input_seed) overrides.emplace_back("input_seed", std::to_string(*wanted.input_seed));
  model::Experiment experiment = session::load_experiment_or_throw(file, overrides);
  const session::DeviceChoice device = session::choose_devices(experiment.device, experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  experiment.device = device.spelling;
  experiment.resolved_yaml = config::resolved_yaml(experiment);
  const engine::RunLock lock(folder.path);
  session::write_file_atomically(folder.experiment(), experiment.resolved_yaml);
  const auto ledger = engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create);
  RunSettings settings;
  settings.threads = wanted.threads;
  settings.explain = wanted.explain;
  settings.look = wanted.look;
  settings.input_seed = experiment.input_seed ? *experiment.input_seed : session::draw_entropy();
  return run_session(options.common, experiment, folder, *ledger, settings);
}

}  // namespace evo::cli
