#include "model/entry_name.hpp"

#include <fmt/format.h>

namespace evo::model {

std::pair<std::string, std::optional<std::string>> without_parameters(std::string_view entry) {
  const auto last = entry.find_last_not_of(" \t\n");
  if (last == std::string_view::npos || entry[last] != ')') return {std::string(entry), std::nullopt};
  // Back to the bracket that this one closes.
  int depth = 0;
  for (std::size_t i = last + 1; i-- > 0;) {
    if (entry[i] == ')') ++depth;
    if (entry[i] != '(' || --depth > 0) continue;
    const auto end = entry.substr(0, i).find_last_not_of(" \t\n");
    // "(float*)": a cast that somebody wrote, or no name at all.
    if (end == std::string_view::npos) return {std::string(entry), std::nullopt};
    return {std::string(entry.substr(0, end + 1)), std::string(entry.substr(i, last + 1 - i))};
  }
  return {std::string(entry), std::nullopt};
}

std::string address_expression(std::string_view entry, std::string_view scope) {
  const auto [name, parameters] = without_parameters(entry);
  const std::string_view in = name.starts_with("::") ? "" : scope;
  return parameters ? fmt::format("(void (*){}){}{}", *parameters, in, name) : fmt::format("{}{}", in, name);
}

std::string plain_kernel_name(std::string_view entry) {
  std::string name = without_parameters(entry).first;
  name = name.substr(0, name.find('<'));
  if (const auto colon = name.rfind(':'); colon != std::string::npos) name.erase(0, colon + 1);
  return name;
}

}  // namespace evo::model
