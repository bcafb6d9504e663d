#include "diagnose/definitions.hpp"

#include <algorithm>
#include <regex>

#include "diagnose/source_text.hpp"

namespace evo::diagnose {
namespace {

constexpr int most_copies = 4;

std::string first_name(const std::string& text) {
  static const std::regex name(R"([A-Za-z_]\w*)");
  std::smatch match;
  return std::regex_search(text, match, name) ? match.str() : std::string();
}

struct Assignment {
  int line = 0;
  std::string value;  ///< correct of =, up to the end of the statement
};

/// Whether the line gives `name` a new value: not a number that it only starts with.
bool assigns(const std::string& line, const std::string& name, Assignment& found) {
  if (line.find(name) == std::string::npos) return false;
  const std::regex pattern("(^|[^\\w.])" + name + R"((\[[^=]*\]|\.\w+)*\s*=([^=][^;]*))");
  static const std::regex number(R"(^\s*[-+]?[0-9.]+f?\s*$)");
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return false;
  found.value = match[3].str();
  return line.find("const ") != std::string::npos || !std::regex_match(found.value, number);
}

Assignment assignment_of(std::span<const std::string> lines, int at, const std::string& name) {
  Assignment found;
  const auto try_line = [&](int line) {
    if (!assigns(statement(lines[static_cast<std::size_t>(line) - 1]), name, found)) return false;
    found.line = line;
    return true;
  };
  const int size = static_cast<int>(lines.size());
  for (int line = std::min(at - 1, size); line >= 1; --line) {
    if (try_line(line)) return found;
  }
  for (int line = size; line > at; --line) {
    if (try_line(line)) return found;
  }
  return {};
}

/// The name that a value is a mere copy of; "" where it is more.
std::string copied_name(const std::string& value) {
  static const std::regex copy(R"(^\s*[A-Za-z_]\w*((\[[^\]]*\])|(\.\w+))*\s*$)");
  return std::regex_match(value, copy) ? first_name(value) : std::string();
}

}  // namespace

std::string assigned_name(const std::string& line) {
  static const std::regex assignment(R"(([A-Za-z_]\w*)((\[[^=]*\])|(\.\w+))*\s*[-+*/]?=[^=])");
  const std::string text = statement(line);
  std::smatch match;
  return std::regex_search(text, match, assignment) ? match[1].str() : std::string();
}

std::set<std::string> names_in(const std::string& line) {
  static const std::regex name(R"([A-Za-z_]\w*)");
  const std::string text = statement(line);
  std::set<std::string> names;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), name); it != std::sregex_iterator(); ++it)
    names.insert(it->str());
  return names;
}

std::vector<std::string> factors_of(const std::string& line) {
  static const std::regex scaled(R"(\*=\s*([A-Za-z_]\w*))");
  static const std::regex product(R"(([A-Za-z_]\w*)((\[[^\]]*\])|(\.\w+))*\s*\*\s*([A-Za-z_]\w*))");
  static const std::regex fused(R"(\bfmaf\(([^,()]*),([^,()]*),)");
  const std::string text = statement(line), target = assigned_name(text);
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!name.empty() && name != target && !known) names.push_back(name);
  };
  const auto add_all = [&](const std::regex& pattern, std::initializer_list<std::size_t> groups) {
    for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern); it != std::sregex_iterator();
         ++it) {
      for (const std::size_t group : groups) add(first_name((*it)[group].str()));
    }
  };
  add_all(scaled, {1});
  add_all(fused, {1, 2});
  add_all(product, {1, 5});
  return names;
}

int definition_line(std::span<const std::string> lines, int at, const std::string& name) {
  Assignment found = assignment_of(lines, at, name);
  for (int step = 0; step < most_copies && found.line > 0; ++step) {
    const std::string copied = copied_name(found.value);
    if (copied.empty()) break;
    const Assignment before = assignment_of(lines, found.line, copied);
    if (before.line == 0) break;
    found = before;
  }
  return found.line;
}

std::vector<int> factor_definitions(std::span<const std::string> lines, int at,
                                    std::span<const std::string> words) {
  std::vector<int> result;
  if (at < 1 || at > static_cast<int>(lines.size())) return result;
  for (const std::string& name : factors_of(lines[static_cast<std::size_t>(at) - 1])) {
    const int line = definition_line(lines, at, name);
    if (line == 0 || line == at || std::find(result.begin(), result.end(), line) != result.end()) continue;
    const std::string text = statement(lines[static_cast<std::size_t>(line) - 1]);
    const bool named = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return text.find(word) != std::string::npos;
    });
    if (named) result.push_back(line);
  }
  return result;
}

}  // namespace evo::diagnose
