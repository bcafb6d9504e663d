#include "cli/watch.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/json_output.hpp"
#include "evaluators/process/child.hpp"
#include "model/file_name.hpp"

namespace evo::cli {

namespace json = boost::json;
using evaluators::sanitizer::Report;
using evaluators::sanitizer::ToolRun;

Report watch_launches(const model::Experiment& experiment, Assembly& assembly,
                      const evaluators::Prepared& prepared, const std::stop_token& stop) {
  const double seconds = experiment.gates.sanitizer_timeout_s;
  Report report;
  if (assembly.device() == "virtual") {
    report.reason = "the run is on the virtual device, which makes these checks itself";
    return report;
  }
  if (seconds <= 0) {
    report.reason = "gates.sanitizer_timeout_s is 0";
    return report;
  }
  return evaluators::sanitizer::run_compute_sanitizer(
      assembly.ladder().launches_to_watch(prepared),
      {{evaluators::process::self_path(), "launch-job", "--device", assembly.device()},
       std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)),
       stop});
}

json::object to_json(const Report& report) {
  json::array tools;
  for (const ToolRun& run : report.runs) {
    json::array cases;
    for (const std::string& name : run.cases) cases.emplace_back(name);
    tools.push_back({{"tool", run.tool},
                     {"state", evaluators::sanitizer::name_of(run.state)},
                     {"reason", run.reason},
                     {"cases", std::move(cases)},
                     {"planned", run.planned},
                     {"seconds", run.seconds},
                     {"findings", to_json(run.findings)}});
  }
  return {{"ran", !report.runs.empty()},
          {"reason", report.reason},
          {"program", report.program},
          {"tools", std::move(tools)},
          {"blind_spots", to_json(report.blind_spots)}};
}

std::vector<model::Evidence> not_checked(const std::vector<model::Evidence>& notes) {
  std::vector<model::Evidence> found;
  std::copy_if(notes.begin(), notes.end(), std::back_inserter(found),
               [](const model::Evidence& note) { return note.kind == "not_checked"; });
  return found;
}

std::string not_checked_text(const std::vector<model::Evidence>& notes, const Report* report) {
  const auto missing = not_checked(notes);
  if (missing.empty()) return {};
  std::string text;
  const bool complete = report != nullptr && !report->runs.empty() &&
                        std::all_of(report->runs.begin(), report->runs.end(), [](const ToolRun& run) {
                          return run.state == ToolRun::State::clean || run.state == ToolRun::State::findings;
                        });
  text +=
      complete
          ? "checked for races, bounds and initialisation by compute-sanitizer alone, within its blind spots"
          : "NOT CHECKED for races, bounds and initialisation: the virtual device cannot follow it, and "
            "compute-sanitizer has not seen all of it";
  if (report != nullptr && report->runs.empty()) text += " (not run: " + report->reason + ")";
  text += "\n";
  for (const model::Evidence& note : missing) {
    text += "  ";
    if (const std::string place = model::place_text(note.file, note.line); !place.empty())
      text += place + ": ";
    text += note.message + "\n";
  }
  return text;
}

}  // namespace evo::cli
