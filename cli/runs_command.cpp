// evo runs [DIR]: the run folders below a directory.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "report/runs.hpp"
#include "terminal/json_output.hpp"
#include "terminal/run_line_output.hpp"

namespace evo::cli {

int runs_command(const Options& options) {
  boost::json::array lines;
  report::Remembered remembered;
  for (const auto& folder : report::run_folders(options.runs.folder))
    lines.push_back(report::run_line(folder, &remembered));
  if (options.common.json) {
    terminal::print_json(boost::json::object{{"runs", std::move(lines)}});
    return 0;
  }
  if (lines.empty()) fmt::print(stderr, "evo: there is no run folder below {}\n", options.runs.folder);
  for (const boost::json::value& line : lines) fmt::print("{}", terminal::run_line_text(line.as_object()));
  return 0;
}

}  // namespace evo::cli
