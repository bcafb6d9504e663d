// evo tune KERNEL.cu --reference REF.cu --axis n=N --gene G=A,B: a whole run from one line.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/intake_output.hpp"
#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "intake/draft_settler.hpp"
#include "intake/settled_draft.hpp"
#include "model/error.hpp"
#include "session/baseline_hints.hpp"
#include "session/load.hpp"
#include "session/new_run.hpp"
#include "session/run_folder.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace fs = std::filesystem;

namespace {

/// One try; `entropy` stands in for an input seed that nobody gave. The draft is mended by what the
/// evaluator's self-test says of it, unless that was asked already, and by `settler` where the baseline is
/// refused: then the answer is begin_again. `begun`: where this throws, whether trials were committed before.
int tune_once(const Options& options, intake::Draft& draft, const fs::path& path, std::uint64_t entropy,
              intake::DraftSettler* settler, bool asked, bool& begun) {
  const TuneOptions& wanted = options.tune;
  const session::RunFolder folder = session::create_run(path);
  const intake::WrittenFolder written = intake::write_folder(draft, folder.path / "problem", true);
  const std::string file = (written.folder / "experiment.yaml").string();
  if (!options.common.quiet)
    fmt::print(stderr, "kept as {}; evo run {} repeats this run\n", written.folder.string(), file);
  config::Overrides overrides = session::parse_overrides(wanted.set);
  if (wanted.seed) overrides.emplace_back("search.seed", std::to_string(*wanted.seed));
  if (wanted.input_seed) overrides.emplace_back("input_seed", std::to_string(*wanted.input_seed));
  const std::optional<std::uint64_t> told_seed =
      session::load_experiment_or_throw(file, overrides).input_seed;
  const std::uint64_t input_seed = told_seed ? *told_seed : entropy;
  if (!asked) {
    terminal::Waiting waiting(options.common);
    const auto notes =
        intake::settle_draft(wanted.intake, draft, written.folder, file, overrides, input_seed,
                             [&] { waiting.on("testing the evaluator itself on this problem"); });
    for (const std::string& note : notes) {
      if (!options.common.quiet) fmt::print(stderr, "note: {}\n", note);
    }
  }
  model::Experiment experiment = session::load_experiment_or_throw(file, overrides);
  const session::DeviceChoice device = session::take_devices(experiment);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  session::NewRun run(folder, experiment);
  RunSettings settings;
  settings.threads = wanted.threads;
  settings.explain = wanted.explain;
  settings.look = wanted.look;
  settings.input_seed = input_seed;
  if (settler != nullptr) {
    settings.mends = [&](const engine::TrialRecord& refused) {
      const auto far = session::far_integer(refused);
      return far && settler->keep_near(draft, far->argument, far->shown, refused.reason);
    };
  }
  try {
    return run_session(options.common, experiment, folder, run.ledger(), settings);
  } catch (const model::Exception&) {
    begun = !run.ledger().trials().empty();
    throw;
  }
}

}  // namespace

int tune_command(const Options& options) {
  const TuneOptions& wanted = options.tune;
  if (wanted.intake.reference.empty())
    throw model::Exception(
        model::ExitCode::usage,
        "tune needs --reference FILE.cu: a naive kernel that says what is correct (evo new "
        "writes one to fill in)");
  intake::Draft draft = draft_of(options.common, wanted.intake, intake::Purpose::run);
  if (!options.common.quiet) fmt::print(stderr, "{}", inferred_text(draft, wanted.intake.kernel));
  const fs::path path = wanted.run_dir.empty() ? session::new_run_path(draft.name) : fs::path(wanted.run_dir);
  const bool ours = !fs::exists(path);
  const std::uint64_t entropy = session::draw_entropy();
  intake::DraftSettler settler(wanted.intake);
  for (bool asked = false;;) {
    bool begun = false;
    try {
      const int ended = tune_once(options, draft, path, entropy, ours ? &settler : nullptr, asked, begun);
      if (ended != begin_again) return ended;
      asked = true;
    } catch (const model::Exception& error) {
      // The proof of the baseline sees more sizes than the self-test: it may be the first to say so.
      if (!ours || begun || !settler.mend_reference(draft, error.what()))
        throw model::Exception(error.code(), intake::in_users_words(wanted.intake, error.what()) +
                                                 intake::shape_hint(draft, error.what()));
    }
    if (!options.common.quiet && !draft.notes.empty()) fmt::print(stderr, "note: {}\n", draft.notes.back());
    fs::remove_all(path);  // made by this process, and without a trial that counts
  }
}

}  // namespace evo::cli
