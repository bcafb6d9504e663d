#include "terminal/watch_output.hpp"

#include <algorithm>

#include "model/file_name.hpp"
#include "session/watch.hpp"
#include "terminal/json_output.hpp"

namespace evo::terminal {

namespace json = boost::json;
using SanitizerReport = evaluators::sanitizer::Report;
using evaluators::sanitizer::ToolRun;

json::object to_json(const SanitizerReport& report) {
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

std::string not_checked_text(const std::vector<model::Evidence>& notes, const SanitizerReport* report) {
  const auto missing = session::not_checked(notes);
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

}  // namespace evo::terminal
