// Tables of this folder: constant arrays whose entries have a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::oracle {

/// nullptr if no entry has this name.
template <class Table>
[[nodiscard]] constexpr auto find_named(const Table& table, std::string_view name) -> decltype(table.data()) {
  for (const auto& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// In the table's order.
template <class Table>
[[nodiscard]] std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace evo::evaluators::oracle
