#include "diagnose/suspects.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "diagnose/suspect_patterns.hpp"

namespace evo::diagnose {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

/// Without what stands behind //.
std::string statement(const std::string& line) {
  return line.substr(0, line.find("//"));
}

/// Declarations of constants, and functions that return one, have no code of their own.
bool is_constant(const std::string& line) {
  static const std::regex returned(R"(return -?[0-9][0-9.]*(e-?[0-9]+)?f?;)");
  return line.find("constexpr") != std::string::npos || line.find("#define") != std::string::npos ||
         std::regex_search(line, returned);
}

struct Match {
  std::string file;
  int line = 0;
  bool exact = false;  ///< some instruction comes from this very line
};

/// Lines that match, in the order of the file. Heads of functions say nothing about what they do.
std::vector<Match> matches(const std::string& file, const std::string& text, const std::regex& pattern,
                           const CodeLines& code) {
  std::vector<Match> found;
  const auto known = code.lines.find(file);
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const std::string line = statement(lines[i]);
    if (line.find("__device__") != std::string::npos && line.find('=') == std::string::npos &&
        line.find('}') == std::string::npos && line.find("finite(") == std::string::npos)
      continue;
    if (line.find("EVO_PROBE") != std::string::npos || !std::regex_search(line, pattern)) continue;
    const auto has_code = [&](int at) { return known != code.lines.end() && known->second.contains(at); };
    // A statement over several lines has its code at one of them, and one that the compiler could work out
    // has none: so its neighbours' count.
    bool near = false;
    for (int at = number - 6; at <= number + 6; ++at) near = near || has_code(at);
    if (is_constant(line) || near) found.push_back({file, number, has_code(number) || is_constant(line)});
  }
  return found;
}

/// The match in the kernel's file that is nearest before the first wrong stage's hook and behind the hook
/// before it; else the nearest; else the first in a header.
const Match* choose(const std::vector<Match>& found, const Subject& subject, const PostMortem& report) {
  const Match* best = nullptr;
  const Tile* first = report.tiles.first_divergent();
  int hook = first == nullptr ? 0 : first->line, before = 0;
  for (const Tile& tile : report.tiles.tiles) {
    if (tile.line < hook) before = std::max(before, tile.line);
  }
  const auto cost = [&](const Match& match) {
    const int doubt = match.exact ? 0 : 1 << 18;
    if (match.file != subject.file()) return doubt + (1 << 17);
    if (hook == 0) return doubt + match.line;
    const bool between = match.line > before && match.line <= hook + 2;
    return doubt + (between ? 0 : 1 << 16) + std::abs(hook - match.line);
  };
  for (const Match& match : found) {
    if (best == nullptr || cost(match) < cost(*best)) best = &match;
  }
  return best;
}

SourcePlace place_of(const Match& match, const std::string& text, const std::string& why) {
  const std::vector<std::string> lines = lines_of(text);
  std::string line = static_cast<std::size_t>(match.line) <= lines.size()
                         ? lines[static_cast<std::size_t>(match.line) - 1]
                         : "";
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  return {match.file, match.line, match.line, line, why};
}

/// Levels of braces behind each line.
std::vector<int> depths(const std::vector<std::string>& lines) {
  std::vector<int> result;
  int depth = 0;
  for (const std::string& line : lines) {
    const std::string text = statement(line);
    depth += static_cast<int>(std::count(text.begin(), text.end(), '{')) -
             static_cast<int>(std::count(text.begin(), text.end(), '}'));
    result.push_back(depth);
  }
  return result;
}

bool is_barrier(const std::string& line) {
  static const std::regex pattern(R"(EVO_SYNC|__sync|bar\.sync|barrier)");
  return std::regex_search(statement(line), pattern);
}

/// The last line of the innermost loop around `line`; 0 if there is none.
int end_of_loop(const std::vector<std::string>& lines, const std::vector<int>& depth, int line) {
  for (int start = line; start >= 1; --start) {
    const std::string text = statement(lines[static_cast<std::size_t>(start) - 1]);
    const bool loop = text.find("for (") != std::string::npos || text.find("while (") != std::string::npos;
    if (!loop || text.find('{') == std::string::npos) continue;
    const int outside = depth[static_cast<std::size_t>(start) - 1] - 1;
    for (int end = start + 1; static_cast<std::size_t>(end) <= lines.size(); ++end) {
      if (depth[static_cast<std::size_t>(end) - 1] > outside) continue;
      if (end > line) return end;
      break;
    }
  }
  return 0;
}

int detail_line(const model::Evidence& evidence, std::string_view key) {
  for (const auto& [name, value] : evidence.details) {
    if (name == key) return std::atoi(value.c_str());
  }
  return 0;
}

/// Where a barrier is missing, or which bound does not hold: from the findings' own lines.
std::vector<SourcePlace> from_findings(const Subject& subject, const PostMortem& report,
                                       const CodeLines& code) {
  std::vector<SourcePlace> places;
  const std::string_view rule = report.causes.front().rule->name;
  const std::string& source = subject.candidate.source;
  if (rule == "missing_barrier" || rule == "missing_warp_barrier" || rule == "async_copy_not_waited") {
    const auto own = code.lines.find(subject.file());
    const int wait = own == code.lines.end() ? 0 : wait_without_barrier(source, own->second);
    if (wait > 0)
      places.push_back(place_of({subject.file(), wait, true}, source,
                                "no barrier stands behind the wait before this line"));
  }
  if (places.empty() && (rule == "missing_barrier" || rule == "missing_warp_barrier")) {
    if (const int line = barrier_place(subject, report.symptom, code); line > 0)
      places.push_back(place_of({subject.file(), line, true}, source, "a barrier belongs before this line"));
  }
  if (rule == "tail_access_out_of_bounds" && !report.symptom.evidence.empty() &&
      report.symptom.evidence.front().file == subject.file()) {
    static const std::regex bound(
        R"((<|>=)\s*(\w+\.)?(seq|rows|end_?\w*|length|n)\b|if \(.*\) (continue|return|break);)");
    const std::vector<std::string> lines = lines_of(source);
    const int at = report.symptom.evidence.front().line;
    for (int line = at; line > std::max(at - 20, 0); --line) {
      if (!std::regex_search(statement(lines[static_cast<std::size_t>(line) - 1]), bound)) continue;
      places.push_back(place_of({subject.file(), line, true}, source, "the bound of the access"));
      break;
    }
  }
  return places;
}

}  // namespace

std::set<int> CodeLines::outermost(const std::string& file, int line) const {
  std::set<int> result;
  std::set<Line> seen;
  std::vector<Line> open{{file, line}};
  while (!open.empty()) {
    const Line at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const auto above = callers.find(at);
    if (above == callers.end()) {
      if (at.first == file) result.insert(at.second);
    } else {
      open.insert(open.end(), above->second.begin(), above->second.end());
    }
  }
  return result;
}

CodeLines code_lines(const std::string& ptx) {
  static const std::regex file_line(R"re(^\s*\.file\s+([0-9]+)\s+"([^"]*)")re");
  static const std::regex loc_line(
      R"(^\s*\.loc\s+([0-9]+)\s+([0-9]+)(?:.*inlined_at\s+([0-9]+)\s+([0-9]+))?)");
  std::map<int, std::string> names;
  struct Location {
    int file = 0, line = 0, caller_file = 0, caller_line = 0;
  };
  std::vector<Location> locations;
  std::istringstream stream(ptx);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t word = line.find_first_not_of(" \t");
    if (word == std::string::npos || line[word] != '.') continue;
    std::smatch match;
    const auto number = [&](std::size_t group) { return std::atoi(match[group].str().c_str()); };
    if (line.compare(word, 5, ".file") == 0 && std::regex_search(line, match, file_line)) {
      const std::string path = match[2].str();
      names[number(1)] = path.substr(path.find_last_of('/') + 1);
    } else if (line.compare(word, 4, ".loc") == 0 && std::regex_search(line, match, loc_line)) {
      locations.push_back({number(1), number(2), number(3), number(4)});
    }
  }
  CodeLines code;
  for (const Location& at : locations) {
    code.lines[names[at.file]].insert(at.line);
    if (at.caller_file != 0)
      code.callers[{names[at.file], at.line}].insert({names[at.caller_file], at.caller_line});
  }
  return code;
}

int barrier_place(const std::string& source, const std::set<int>& one, const std::set<int>& other,
                  const std::set<int>& code) {
  const std::vector<std::string> lines = lines_of(source);
  const std::vector<int> depth = depths(lines);
  // The nearest pair of an earlier and a later line.
  int first = 0, second = 0;
  for (const int a : one) {
    for (const int b : other) {
      const int low = std::min(a, b), high = std::max(a, b);
      if (low <= 0 || low == high || static_cast<std::size_t>(high) > lines.size()) continue;
      if (first == 0 || high - low < second - first) first = low, second = high;
    }
  }
  if (first == 0) return 0;
  bool guarded = false;
  for (int line = first + 1; line < second; ++line) {
    const bool made_code = code.empty() || code.contains(line);
    guarded = guarded || (made_code && is_barrier(lines[static_cast<std::size_t>(line) - 1]));
  }
  if (guarded) {
    int loop = second;
    // The loop that the earlier one is in too.
    while ((loop = end_of_loop(lines, depth, loop)) != 0) {
      int start = loop;
      const int outside = depth[static_cast<std::size_t>(loop) - 1];
      while (start > 1 && depth[static_cast<std::size_t>(start) - 2] > outside) --start;
      if (start <= first) return loop;
      loop += 1;
      if (static_cast<std::size_t>(loop) > lines.size()) return 0;
    }
    return 0;
  }
  int best = first;
  for (int line = first; line < second; ++line) {
    if (depth[static_cast<std::size_t>(line) - 1] < depth[static_cast<std::size_t>(best) - 1]) best = line;
  }
  return best + 1;
}

int barrier_place(const Subject& subject, const model::Failure& failure, const CodeLines& code) {
  for (const model::Evidence& evidence : failure.evidence) {
    const int other = detail_line(evidence, "other_line");
    if (!evidence.kind.starts_with("race_") || evidence.file != subject.file() || other == 0) continue;
    const auto own = code.lines.find(subject.file());
    const int line = barrier_place(subject.candidate.source, code.outermost(subject.file(), evidence.line),
                                   code.outermost(subject.file(), other),
                                   own == code.lines.end() ? std::set<int>{} : own->second);
    if (line > 0) return line;
  }
  return 0;
}

int wait_without_barrier(const std::string& source, const std::set<int>& code) {
  const std::vector<std::string> lines = lines_of(source);
  static const std::regex wait(R"(wait\w*(copies|group)|cp\.async\.wait|__pipeline_wait)");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    if (!code.contains(number) || !std::regex_search(statement(lines[i]), wait)) continue;
    const std::size_t end = std::min(lines.size(), i + 4);
    const auto behind = lines.begin() + static_cast<std::ptrdiff_t>(i);
    if (!std::any_of(behind, lines.begin() + static_cast<std::ptrdiff_t>(end), is_barrier)) return number + 1;
  }
  return 0;
}

std::vector<SourcePlace> suspects(const Subject& subject, const PostMortem& report, const CodeLines& code) {
  if (report.causes.empty()) return {};
  std::vector<SourcePlace> places = from_findings(subject, report, code);
  if (!places.empty()) return places;
  for (const SuspectPattern& suspect : suspect_patterns()) {
    if (suspect.rule != report.causes.front().rule->name) continue;
    if (!suspect.fact.empty() && !report.facts.has(std::string(suspect.fact))) continue;
    const std::regex pattern(suspect.pattern.begin(), suspect.pattern.end());
    std::vector<Match> found = matches(subject.file(), subject.candidate.source, pattern, code);
    for (const auto& [name, text] : subject.kernel.headers) {
      const auto more = matches(name, text, pattern, code);
      found.insert(found.end(), more.begin(), more.end());
    }
    const Match* best = choose(found, subject, report);
    if (best == nullptr) continue;
    const std::string& text =
        best->file == subject.file() ? subject.candidate.source : subject.kernel.headers.at(best->file);
    places.push_back(place_of(*best, text, std::string(suspect.why)));
    return places;
  }
  return places;
}

}  // namespace evo::diagnose
