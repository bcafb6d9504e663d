// evo export RUN [VARIANT] -o DIR [--format F]
#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "cli/verbs.hpp"
#include "session/champion_export.hpp"
#include "session/run_folder.hpp"
#include "session/tuner_results.hpp"
#include "session/variants.hpp"
#include "terminal/json_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

/// All trials of a run in another tuner's format. A file, written beside its place and renamed.
int export_trials(const Options& options, const session::OpenedRun& run, const engine::Ledger& ledger) {
  const auto meta = ledger.meta();
  const auto trials = ledger.trials();
  if (!meta || trials.empty())
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} holds no trial yet", run.folder.path.string()));
  const ExportOptions& wanted = options.export_;
  const auto document =
      wanted.format == "t4"
          ? session::t4_results(run.experiment, *meta, trials, wanted.template_name)
          : session::kernel_tuner_cache(run.experiment, *meta, trials, wanted.template_name);
  const std::string temporary = wanted.output + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << boost::json::serialize(document) << '\n';
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(temporary, wanted.output, failed);
  if (!file || failed)
    throw model::Exception(model::ExitCode::environment, fmt::format("{} cannot be written", wanted.output));
  if (options.common.json) {
    terminal::print_json(
        boost::json::object{{"file", wanted.output}, {"format", wanted.format}, {"trials", trials.size()}});
  } else {
    fmt::print("{} trials written to {} ({})\n", trials.size(), wanted.output, wanted.format);
  }
  return 0;
}

}  // namespace

int export_command(const Options& options) {
  terminal::Waiting waiting(options.common);
  waiting.on("reading " + options.export_.run);
  const session::OpenedRun run = session::open_run(options.export_.run);
  const auto ledger = session::open_ledger_for_reading(run.folder);
  if (options.export_.format == "t4" || options.export_.format == "kernel-tuner-cache")
    return export_trials(options, run, *ledger);
  const auto form = options.export_.format == "one-file" ? exporting::Form::one_file : exporting::Form::files;
  waiting.on("compiling the variant, and the oracle's recordings for its self-test");
  const engine::TrialRecord trial =
      session::export_from_run(run, *ledger, options.export_.variant, options.export_.output, form);

  waiting.on("");
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(options.export_.output)) {
    files.push_back(file.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  if (options.common.json) {
    boost::json::array list;
    for (const std::string& file : files) list.emplace_back(file);
    terminal::print_json(boost::json::object{
        {"folder", options.export_.output}, {"variant", trial.variant}, {"files", std::move(list)}});
  } else {
    fmt::print("{} written to {}\n", trial.variant, options.export_.output);
    for (const std::string& file : files) fmt::print("  {}\n", file);
  }
  return 0;
}

}  // namespace evo::cli
