// evo tune KERNEL.cu --reference REF.cu --axis n=N --gene G=A,B: a whole run from one line.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/intake_output.hpp"
#include "cli/run_session.hpp"
#include "cli/tune_settle.hpp"
#include "cli/verbs.hpp"
#include "config/resolved.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/evaluator_check.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace fs = std::filesystem;
namespace {

model::Experiment load(const std::string& file, const config::Overrides& overrides) {
  model::Experiment experiment = session::load_experiment_or_throw(file, overrides);
  const session::DeviceChoice device = session::choose_devices(experiment.device, experiment.target);
  experiment.device = device.spelling;
  return experiment;
}

/// Asks the self-test, and mends what evo has guessed wrongly: the folder is written again. What is left to
/// say is said by the run, which asks once more.
void settle(const Options& options, intake::Draft& draft, const fs::path& folder, const std::string& file,
            const config::Overrides& overrides, std::uint64_t input_seed) {
  DraftSettler settler(options.tune.intake);
  terminal::Waiting waiting(options.common);
  const std::size_t notes = draft.notes.size();
  for (;;) {
    waiting.on("testing the evaluator itself on this problem");
    const model::Experiment experiment = load(file, overrides);
    session::StackOptions parts;
    parts.threads = 1;
    parts.input_seed = input_seed;
    session::EvaluationStack stack(experiment, session::choose_devices(experiment.device, experiment.target),
                                   parts);
    const auto failed = session::failed_check(experiment, stack, input_seed, {});
    if (!failed) break;
    const bool mended = settler.mend(draft, *failed);
    (void)intake::write_folder(draft, folder, true);
    if (!mended) break;
  }
  for (std::size_t i = notes; i < draft.notes.size() && !options.common.quiet; ++i)
    fmt::print(stderr, "note: {}\n", draft.notes[i]);
}

/// Of a reference that leaves an array: what evo took it for, and how another shape is said.
std::string shape_hint(const intake::Draft& draft, const std::string& message) {
  if (message.find("the reference: out_of_bounds") == std::string::npos) return {};
  for (const intake::DraftArgument& argument : draft.arguments) {
    if (argument.role == "scalar" ||
        message.find(" at " + argument.name + " byte offset") == std::string::npos)
      continue;
    std::string hint = fmt::format("\n  {0} is taken for [{1}]: {2}. --arg '{0}: [...]' says another shape",
                                   argument.name, fmt::join(argument.shape, ", "), argument.why);
    for (const intake::DraftArgument& index : draft.arguments) {
      const bool given = index.role == "input" || index.role == "inout";
      const bool integers = index.dtype.starts_with("i") || index.dtype.starts_with("u");
      const bool filled =
          std::ranges::any_of(index.keys, [](const auto& key) { return key.first == "fill"; });
      if (given && integers && !filled)
        hint += fmt::format(
            "\n  {0} holds any whole numbers: where they lead into {1}, --arg '{0}: {{fill: {{integers: [0, "
            "N - 1]}}}}' says which; {{offsets: N}} where rows begin there",
            index.name, argument.name);
    }
    return hint;
  }
  return {};
}

}  // namespace

int tune_command(const Options& options) {
  const TuneOptions& wanted = options.tune;
  if (wanted.intake.reference.empty())
    throw model::Exception(model::ExitCode::usage,
                           "tune needs --reference FILE.cu: a naive kernel that says what is right (evo new "
                           "writes one to fill in)");
  intake::Draft draft = draft_of(options.common, wanted.intake, intake::Purpose::run);
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
  try {
    const std::optional<std::uint64_t> told_seed =
        session::load_experiment_or_throw(file, overrides).input_seed;
    const std::uint64_t input_seed = told_seed ? *told_seed : session::draw_entropy();
    settle(options, draft, written.folder, file, overrides, input_seed);
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
    settings.input_seed = input_seed;
    return run_session(options.common, experiment, folder, *ledger, settings);
  } catch (const model::Exception& error) {
    const std::string hint = shape_hint(draft, error.what());
    if (hint.empty()) throw;
    throw model::Exception(error.code(), error.what() + hint);
  }
}

}  // namespace evo::cli
