#include "diagnose/suspects.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "diagnose/barrier_places.hpp"
#include "diagnose/definitions.hpp"
#include "diagnose/source_text.hpp"
#include "diagnose/suspect_patterns.hpp"

namespace evo::diagnose {
namespace {

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

SourcePlace place_of(const Match& match, const std::vector<std::string>& lines, const std::string& why) {
  std::string line = static_cast<std::size_t>(match.line) <= lines.size()
                         ? lines[static_cast<std::size_t>(match.line) - 1]
                         : "";
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  return {match.file, match.line, match.line, line, why};
}

/// Looks for the lines of one pattern after the other.
class Search {
 public:
  Search(const Subject& subject, const PostMortem& report, const CodeLines& code)
      : subject_(subject), report_(report), code_(code) {
    texts_[subject.file()] = lines_of(subject.candidate.source);
    for (const auto& [name, text] : subject.kernel_template.headers) texts_[name] = lines_of(text);
    if (const Tile* first = report.tiles.first_divergent()) hook_ = first->line;
    for (const Tile& tile : report.tiles.tiles) {
      if (tile.line < hook_) before_ = std::max(before_, tile.line);
    }
  }

  /// `with_code`: only lines that the compiler made code of, and constants.
  [[nodiscard]] std::optional<Match> find(const SuspectPattern& suspect, bool with_code) {
    const std::regex pattern(suspect.pattern);
    std::vector<Match> found = matches(subject_.file(), pattern, with_code);
    for (const auto& [name, lines] : texts_) {
      if (name == subject_.file()) continue;
      const auto more = matches(name, pattern, with_code);
      found.insert(found.end(), more.begin(), more.end());
    }
    std::erase_if(found, [&](const Match& match) { return !looks_so(suspect.look, match); });
    const auto best = std::min_element(found.begin(), found.end(),
                                       [&](const Match& a, const Match& b) { return cost(a) < cost(b); });
    return best == found.end() ? std::nullopt : std::optional(*best);
  }

  [[nodiscard]] const std::vector<std::string>& lines(const std::string& file) { return texts_[file]; }

 private:
  /// Lines that match, in the order of the file. Heads of functions say nothing about what they do.
  std::vector<Match> matches(const std::string& file, const std::regex& pattern, bool with_code) {
    std::vector<Match> found;
    const std::vector<std::string>& all = texts_[file];
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int number = static_cast<int>(i) + 1;
      const std::string line = statement(all[i]);
      if (line.find("__device__") != std::string::npos && line.find('=') == std::string::npos &&
          line.find('}') == std::string::npos && line.find("finite(") == std::string::npos)
        continue;
      if (line.find("EVO_PROBE") != std::string::npos || !std::regex_search(line, pattern)) continue;
      // A statement over several lines has its code at one of them, and one that the compiler could work out
      // has none: so its neighbours' count.
      bool near = !with_code;
      for (int at = number - 6; at <= number + 6; ++at) near = near || code_.has({file, at});
      if (is_constant(line) || near)
        found.push_back({file, number, code_.has({file, number}) || is_constant(line)});
    }
    return found;
  }

  /// Least for the line nearest before the first wrong stage's hook and behind the hook before it; then for
  /// the line of a header that is called from between the two; then for the nearest; then for the first of a
  /// header.
  int cost(const Match& match) const {
    const int doubt = match.exact ? 0 : 1 << 18;
    const auto between = [&](int line) { return line > before_ && line <= hook_ + 2; };
    if (match.file == subject_.file()) {
      if (hook_ == 0) return doubt + match.line;
      return doubt + (between(match.line) ? 0 : 1 << 16) + std::abs(hook_ - match.line);
    }
    constexpr int reach = 2;  // a statement may have its code at the next line
    for (int line = match.line; hook_ > 0 && line <= match.line + reach; ++line) {
      for (const int call : code_.outermost({match.file, line}, subject_.file())) {
        if (between(call)) return doubt + (1 << 15) + std::abs(hook_ - call);
      }
    }
    return doubt + (1 << 17);
  }

  bool looks_so(Look look, const Match& match) {
    const std::string& text = texts_[match.file][static_cast<std::size_t>(match.line) - 1];
    switch (look) {
      case Look::text:
        return true;
      case Look::named:
        return accessed().contains(assigned_name(text));
      case Look::hook_factor: {
        if (hook_ == 0 || match.file != subject_.file()) return false;
        const auto& all = texts_[match.file];
        const auto made = factors_of(all[static_cast<std::size_t>(hook_) - 1]);
        return std::any_of(made.begin(), made.end(), [&](const std::string& name) {
          return definition_line(all, hook_, name) == match.line;
        });
      }
      case Look::factor_use:
        return !factor_definitions(texts_[match.file], match.line, report_.causes.front().rule->words)
                    .empty();
    }
    return false;
  }

  /// Names at the line that the first finding points to, and in what was inlined there.
  const std::set<std::string>& accessed() {
    if (!accessed_.empty() || report_.symptom.evidence.empty()) return accessed_;
    const model::Evidence& finding = report_.symptom.evidence.front();
    const auto add = [&](const std::string& file, int line) {
      const auto& all = texts_[file];
      if (line >= 1 && static_cast<std::size_t>(line) <= all.size())
        accessed_.merge(names_in(all[static_cast<std::size_t>(line) - 1]));
    };
    add(finding.file, finding.line);
    for (const auto& [file, numbers] : code_.lines) {
      if (!texts_.contains(file)) continue;
      for (const int line : numbers) {
        if (called_from({file, line}, {finding.file, finding.line})) add(file, line);
      }
    }
    return accessed_;
  }

  /// Whether code of `line` was inlined where `call` stands, over any number of calls.
  [[nodiscard]] bool called_from(const CodeLines::Line& line, const CodeLines::Line& call) const {
    std::set<CodeLines::Line> seen;
    std::vector<CodeLines::Line> open{line};
    while (!open.empty()) {
      const CodeLines::Line at = open.back();
      open.pop_back();
      if (at == call) return true;
      const auto above = code_.callers.find(at);
      if (!seen.insert(at).second || above == code_.callers.end()) continue;
      open.insert(open.end(), above->second.begin(), above->second.end());
    }
    return false;
  }

  const Subject& subject_;
  const PostMortem& report_;
  const CodeLines& code_;
  std::map<std::string, std::vector<std::string>> texts_;
  int hook_ = 0, before_ = 0;
  std::set<std::string> accessed_;
};

/// "rows|columns|": the run-time axes that are an array's sizes, as a part of a regular expression.
std::string lengths_of(const Subject& subject) {
  std::string names;
  for (const model::Axis& axis : subject.problem.axes) {
    const bool is_size = std::any_of(
        subject.problem.arguments.begin(), subject.problem.arguments.end(), [&](const auto& argument) {
          return std::any_of(argument.shape.begin(), argument.shape.end(), [&](const auto& size) {
            const auto& used = size.names();
            return std::find(used.begin(), used.end(), axis.name) != used.end();
          });
        });
    if (is_size && !axis.compile_time) names += axis.name + "|";
  }
  return names;
}

/// Where a barrier is missing, or which bound does not hold: from the findings' own lines.
std::vector<SourcePlace> from_findings(const Subject& subject, const PostMortem& report,
                                       const CodeLines& code) {
  std::vector<SourcePlace> places;
  const std::string& rule = report.causes.front().rule->name;
  const std::vector<std::string> lines = lines_of(subject.candidate.source);
  if (rule == "async_copy_not_waited") {
    const int wait = wait_without_barrier(subject.file(), subject.candidate.source, code);
    if (wait > 0)
      places.push_back(place_of({subject.file(), wait, true}, lines,
                                "no barrier stands behind the wait before this line"));
  }
  if (rule == "missing_barrier" || rule == "missing_warp_barrier") {
    std::vector<int> barriers = barrier_places(subject, report.symptom, code);
    if (report.healing_barrier > 0) barriers = {report.healing_barrier};
    if (!barriers.empty())
      places.push_back(
          place_of({subject.file(), barriers.front(), true}, lines, "a barrier belongs before this line"));
  }
  if (rule == "tail_access_out_of_bounds" && !report.symptom.evidence.empty() &&
      report.symptom.evidence.front().file == subject.file()) {
    const std::regex bound(fmt::format(
        R"((<|>=)\s*(\w+\.)?({}end_?\w*|length)\b|if \(.*\) (continue|return|break);)", lengths_of(subject)));
    const int at = report.symptom.evidence.front().line;
    for (int line = at; line > std::max(at - 20, 0); --line) {
      if (!std::regex_search(statement(lines[static_cast<std::size_t>(line) - 1]), bound)) continue;
      places.push_back(place_of({subject.file(), line, true}, lines, "the bound of the access"));
      break;
    }
  }
  return places;
}

/// A place where a wrong factor may be used, and those where it is made. These come first where all that the
/// factor goes into is wrong, which is no two mistakes.
std::vector<SourcePlace> with_definitions(const SourcePlace& used, const std::vector<std::string>& lines,
                                          const PostMortem& report) {
  std::vector<SourcePlace> made;
  for (const int line : factor_definitions(lines, used.line, report.causes.front().rule->words)) {
    made.push_back(
        place_of({used.file, line, true}, lines, fmt::format("a factor of line {} is made here", used.line)));
  }
  std::vector<SourcePlace> places{used};
  const bool first = report.facts.has("stage.every_use_wrong");
  places.insert(first ? places.begin() : places.end(), made.begin(), made.end());
  return places;
}

}  // namespace

std::vector<SourcePlace> suspects(const Subject& subject, const PostMortem& report, const CodeLines& code) {
  if (report.causes.empty()) return {};
  std::vector<SourcePlace> places = from_findings(subject, report, code);
  if (!places.empty()) return places;
  Search search(subject, report, code);
  const std::vector<SuspectPattern> patterns = suspect_patterns(subject.problem.causes.suspects);
  // What starts from a number may have no code of its own, so lines without any are looked at too, in the
  // end.
  for (const bool with_code : {true, false}) {
    for (const SuspectPattern& suspect : patterns) {
      if (suspect.rule != report.causes.front().rule->name) continue;
      if (!suspect.fact.empty() && !report.facts.has(suspect.fact)) continue;
      const std::optional<Match> best = search.find(suspect, with_code);
      if (!best) continue;
      const auto& lines = search.lines(best->file);
      return with_definitions(place_of(*best, lines, suspect.why), lines, report);
    }
  }
  return places;
}

}  // namespace evo::diagnose
