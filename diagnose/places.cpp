#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "diagnose/diagnose.hpp"

namespace evo::diagnose {
namespace {

std::string line_at(const std::string& source, int number) {
  std::istringstream lines(source);
  std::string text;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(lines, text)) return {};
  }
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

class Places {
 public:
  explicit Places(const Subject& subject) : subject_(subject) {}

  void add(const std::string& file, int line, int last_line, const std::string& why) {
    if (line <= 0) return;
    const bool known = std::any_of(places_.begin(), places_.end(), [&](const SourcePlace& place) {
      return place.file == file && place.line == line && place.last_line == last_line;
    });
    if (known) return;
    const std::string text =
        file == subject_.file() ? line_at(subject_.candidate.source, line) : std::string();
    places_.push_back({file, line, last_line, text, why});
  }
  void add(const SourcePlace& place) { places_.push_back(place); }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  std::vector<SourcePlace> take() { return std::move(places_); }

 private:
  const Subject& subject_;
  std::vector<SourcePlace> places_;
};

/// Variables that outlive a launch, where reloading the module heals.
void add_device_variables(const Subject& subject, const PostMortem& report, Places& places) {
  if (!report.facts.has("repeat.reload_heals")) return;
  static const std::regex declaration(
      R"(__device__[^()]*?([A-Za-z_][A-Za-z_0-9]*)(\[[^\]]*\])?\s*(=[^;]*)?;)");
  std::istringstream lines(subject.candidate.source);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, declaration))
      places.add(subject.file(), number, number, "a device variable: " + match[1].str());
  }
}

/// Lines between the first hook and that of the first wrong stage that say what the likely cause is about.
void add_words(const Subject& subject, const PostMortem& report, Places& places) {
  const Tile* first = report.tiles.first_divergent();
  if (first == nullptr || first->line == 0 || report.causes.empty()) return;
  const Rule& rule = *report.causes.front().rule;
  int begin = first->line;
  for (const Tile& tile : report.tiles.tiles) {
    if (tile.line > 0) begin = std::min(begin, tile.line);
  }
  if (begin == first->line) begin = std::max(1, first->line - 15);
  constexpr int most = 4;
  int found = 0;
  for (int line = begin; line <= first->line && found < most; ++line) {
    const std::string text = line_at(subject.candidate.source, line);
    if (text.starts_with("//") || text.starts_with("EVO_PROBE")) continue;
    const bool named = std::any_of(rule.words.begin(), rule.words.end(), [&](std::string_view word) {
      return text.find(word) != std::string::npos;
    });
    if (!named) continue;
    ++found;
    places.add(subject.file(), line, line, fmt::format("a line that {} may be about", rule.name));
  }
}

int last_line(const std::string& source) {
  return static_cast<int>(std::count(source.begin(), source.end(), '\n')) + 1;
}

}  // namespace

std::vector<SourcePlace> source_places(const Subject& subject, const PostMortem& report,
                                       const CodeLines& code) {
  Places places(subject);
  for (const Edit& edit : report.origin.edits) {
    const int end = edit.line + std::max(static_cast<int>(edit.added.size()), 1) - 1;
    places.add(subject.file(), edit.line, end, "without this edit it is correct");
  }
  if (report.repair)
    places.add(subject.file(), report.repair->mutant.line, report.repair->mutant.line,
               "a change here makes it correct: " + report.repair->mutant.text);
  // Where the correct text is known, it has said where; elsewhere what the cause usually looks like, in
  // sources that are written as the templates are.
  const bool without_original = !report.leads.empty() || report.repair;
  const bool race = report.facts.has("finding.race_shared") || report.facts.has("finding.async_not_waited");
  if (report.origin.edits.empty() && (!without_original || race)) {
    for (const SourcePlace& place : suspects(subject, report, code)) places.add(place);
  }
  for (const model::Evidence& evidence : report.symptom.evidence) {
    places.add(evidence.file, evidence.line, evidence.line, evidence.kind);
    std::string other_file = evidence.file;
    int other_line = 0;
    for (const auto& [key, value] : evidence.details) {
      if (key == "other_file") other_file = value;
      if (key == "other_line") other_line = std::atoi(value.c_str());
    }
    places.add(other_file, other_line, other_line, evidence.kind + ", the other access");
  }
  for (const Lead& lead : report.leads) {
    for (const int line : lead.lines) places.add(subject.file(), line, line, lead.why);
  }
  add_device_variables(subject, report, places);
  if (places.empty()) add_words(subject, report, places);
  if (const Tile* first = report.tiles.first_divergent()) {
    // From the last hook before it in the text: what lies between is what this stage adds.
    int before = 0, last_hook = 0;
    for (const Tile& tile : report.tiles.tiles) {
      last_hook = std::max(last_hook, tile.line);
      if (tile.line < first->line) before = std::max(before, tile.line);
    }
    if (first->line > 0) {
      places.add(subject.file(), before + 1, first->line,
                 fmt::format("stage {} is the first that diverges; its hook stands at line {}",
                             first->check.name, first->line));
    } else if (report.tiles.hooks && last_hook > 0) {
      places.add(subject.file(), last_hook + 1, last_line(subject.candidate.source),
                 "all stages are correct; what follows is not");
    }
  }
  return places.take();
}

std::string shape_text(const model::Workload& workload) {
  std::string text;
  for (const auto& [axis, value] : workload.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
  return text;
}

}  // namespace evo::diagnose
