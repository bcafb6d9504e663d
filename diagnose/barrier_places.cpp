#include "diagnose/barrier_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <utility>

#include "diagnose/source_text.hpp"
#include "diagnose/tokens.hpp"

namespace evo::diagnose {
namespace {

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

/// Lines of the kernel's file from which two accesses that race are reached.
struct Pair {
  int first = 0, second = 0;
  bool overwrites = false;  ///< what the first reads the second writes
};

/// Nearest first.
std::vector<Pair> pairs_of(const model::Evidence& evidence, const CodeLines& code) {
  static const std::regex write(R"(writes[^()]*\(line ([0-9]+))");
  const int other = detail_line(evidence, "other_line");
  if (other == 0) return {};
  std::set<int> writes;
  for (auto it = std::sregex_iterator(evidence.message.begin(), evidence.message.end(), write);
       it != std::sregex_iterator(); ++it)
    writes.merge(code.outermost(evidence.file, std::atoi((*it)[1].str().c_str())));
  std::vector<Pair> pairs;
  for (const int one : code.outermost(evidence.file, evidence.line)) {
    for (const int two : code.outermost(evidence.file, other)) {
      const int low = std::min(one, two), high = std::max(one, two);
      if (low < high) pairs.push_back({low, high, writes.contains(high) && !writes.contains(low)});
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.second - a.first < b.second - b.first; });
  return pairs;
}

}  // namespace

int barrier_place(const std::string& source, const std::set<int>& one, const std::set<int>& other,
                  const std::set<int>& code, bool late) {
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
    const int here = depth[static_cast<std::size_t>(line) - 1],
              least = depth[static_cast<std::size_t>(best) - 1];
    if (here < least || (late && here == least)) best = line;
  }
  return best + 1;
}

std::vector<int> barrier_places(const Subject& subject, const model::Failure& failure,
                                const CodeLines& code) {
  const std::string& source = subject.candidate.source;
  const auto known = code.lines.find(subject.file());
  const std::set<int> own = known == code.lines.end() ? std::set<int>{} : known->second;
  std::vector<std::vector<Pair>> races;
  for (const model::Evidence& evidence : failure.evidence) {
    if (!evidence.kind.starts_with("race_") || evidence.file != subject.file()) continue;
    std::vector<Pair> pairs = pairs_of(evidence, code);
    if (!pairs.empty()) races.push_back(std::move(pairs));
  }
  std::vector<int> places;
  const auto add = [&](const Pair& pair, const std::set<int>& made_code) {
    const int line = barrier_place(source, {pair.first}, {pair.second}, made_code, pair.overwrites);
    if (line > 0 && std::find(places.begin(), places.end(), line) == places.end()) places.push_back(line);
  };
  for (const auto& pairs : races) add(pairs.front(), own);
  // As if no barrier stood between them: one that does may be too weak, or in a branch.
  const std::set<int> no_code{0};
  for (const auto& pairs : races) add(pairs.front(), no_code);
  for (const auto& pairs : races) {
    for (const Pair& pair : pairs) add(pair, own);
  }
  return places;
}

std::vector<int> lines_around(const std::string& source, const std::set<int>& lines) {
  const SourceText text = read_source(source);
  std::vector<std::pair<int, int>> loops;  // first and last line
  for (const Statement& statement : text.statements) {
    const std::size_t open = statement.span.end;
    const Token& keyword = text.tokens[statement.span.begin];
    if (statement.kind != StatementKind::header || !(keyword.is("for") || keyword.is("while")) ||
        open >= text.tokens.size() || !text.tokens[open].is("{"))
      continue;
    const std::size_t close = closing(text.tokens, open);
    if (close < text.tokens.size()) loops.emplace_back(keyword.line, text.tokens[close].line);
  }
  std::sort(loops.begin(), loops.end(),
            [](const auto& a, const auto& b) { return a.second - a.first < b.second - b.first; });
  std::vector<int> places;
  const auto add = [&](int line) {
    if (line > 0 && std::find(places.begin(), places.end(), line) == places.end()) places.push_back(line);
  };
  for (const auto& loop : loops) {
    const bool around = std::any_of(lines.begin(), lines.end(),
                                    [&](int line) { return line > loop.first && line < loop.second; });
    if (around) add(loop.second);
  }
  for (const int line : lines) add(line);
  for (const int line : lines) add(line + 1);
  return places;
}

int wait_without_barrier(const std::string& file, const std::string& source, const CodeLines& code) {
  static const std::regex wait(R"(wait\w*(copies|group)|cp\.async\.wait|__pipeline_wait)");
  const std::vector<std::string> lines = lines_of(source);
  const auto own = code.lines.find(file);
  if (own == code.lines.end()) return 0;
  std::set<int> waits;
  for (const int number : own->second) {
    if (number < 1 || static_cast<std::size_t>(number) > lines.size()) continue;
    if (std::regex_search(statement(lines[static_cast<std::size_t>(number) - 1]), wait))
      waits.merge(code.outermost(file, number));
  }
  for (const int number : waits) {
    const auto begin = lines.begin() + number - 1;
    const auto end = lines.begin() + std::min<std::ptrdiff_t>(number + 3, std::ssize(lines));
    if (std::none_of(begin, end, is_barrier)) return number + 1;
  }
  return 0;
}

}  // namespace evo::diagnose
