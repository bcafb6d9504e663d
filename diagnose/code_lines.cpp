#include "diagnose/code_lines.hpp"

#include <cstdlib>
#include <regex>
#include <sstream>
#include <vector>

namespace evo::diagnose {

std::set<int> CodeLines::outermost(const Line& from, const std::string& in) const {
  std::set<int> result;
  std::set<Line> seen;
  std::vector<Line> open{from};
  while (!open.empty()) {
    const Line at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const auto above = callers.find(at);
    if (above == callers.end()) {
      if (at.first == in) result.insert(at.second);
    } else {
      open.insert(open.end(), above->second.begin(), above->second.end());
    }
  }
  return result;
}

bool CodeLines::has(const Line& at) const {
  const auto known = lines.find(at.first);
  return known != lines.end() && known->second.contains(at.second);
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

std::vector<int> lines_with(const std::string& ptx, const std::string& file, const std::string& opcode) {
  static const std::regex file_line(R"re(^\s*\.file\s+([0-9]+)\s+"([^"]*)")re");
  static const std::regex loc_line(R"(^\s*\.loc\s+([0-9]+)\s+([0-9]+))");
  std::map<int, std::string> names;
  std::set<std::pair<int, int>> found;
  std::pair<int, int> now{0, 0};
  std::istringstream stream(ptx);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t word = line.find_first_not_of(" \t");
    if (word == std::string::npos) continue;
    std::smatch match;
    const auto number = [&](std::size_t group) { return std::atoi(match[group].str().c_str()); };
    if (line.compare(word, 5, ".file") == 0 && std::regex_search(line, match, file_line)) {
      const std::string path = match[2].str();
      names[number(1)] = path.substr(path.find_last_of('/') + 1);
    } else if (line.compare(word, 4, ".loc") == 0 && std::regex_search(line, match, loc_line)) {
      now = {number(1), number(2)};
    } else if (line.find(opcode, word) != std::string::npos) {
      found.insert(now);
    }
  }
  std::vector<int> lines;
  for (const auto& [number, line] : found) {
    if (names[number] == file) lines.push_back(line);
  }
  return lines;
}

}  // namespace evo::diagnose
