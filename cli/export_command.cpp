// evo export RUN [VARIANT] -o DIR
#include <algorithm>

#include <fmt/format.h>

#include "cli/json_output.hpp"
#include "cli/verbs.hpp"
#include "session/champion_export.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::cli {

int export_command(const Options& options) {
  const session::OpenedRun run = session::open_run(options.export_.run);
  const auto ledger = session::open_ledger_for_reading(run.folder);
  const engine::TrialRecord trial =
      session::export_from_run(run, *ledger, options.export_.variant, options.export_.output);

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
