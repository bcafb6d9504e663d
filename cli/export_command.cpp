// evo export RUN [VARIANT] -o DIR
#include <algorithm>

#include <fmt/format.h>

#include "cli/champion.hpp"
#include "cli/json_output.hpp"
#include "cli/run_folder.hpp"
#include "cli/variants.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"

namespace evo::cli {

int export_command(const Options& options) {
  const OpenedRun run = open_run(options.export_.run);
  const auto ledger = open_ledger_for_reading(run.folder);
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  const auto meta = ledger->meta();
  if (!meta)
    throw model::Exception(model::ExitCode::usage, fmt::format("{} holds no trial yet", options.export_.run));
  // What leaves the run must be what the run proved.
  if (const auto issues = ledger->verify(); !issues.empty()) {
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("the ledger was altered: {} row {}: {}", issues.front().table,
                                       issues.front().row, issues.front().message));
  }
  const std::vector<engine::EventRecord> events = ledger->events();
  const engine::TrialRecord& trial = find_variant(trials, options.export_.variant, events);
  for (const engine::EventRecord& event : events) {
    if (event.kind != engine::event_kinds::champion_refused || event.trial != trial.index) continue;
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("{} was refused at the end of the run, at the gate {} ({})",
                                       trial.variant, event.details.at("gate"), event.details.at("reason")));
  }
  export_variant(run.experiment, *meta, run.folder.path.filename().string(), trials, trial,
                 options.export_.output);

  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(options.export_.output)) {
    files.push_back(file.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  if (options.common.json) {
    boost::json::array list;
    for (const std::string& file : files) list.emplace_back(file);
    print_json(boost::json::object{
        {"folder", options.export_.output}, {"variant", trial.variant}, {"files", std::move(list)}});
  } else {
    fmt::print("{} written to {}\n", trial.variant, options.export_.output);
    for (const std::string& file : files) fmt::print("  {}\n", file);
  }
  return 0;
}

}  // namespace evo::cli
