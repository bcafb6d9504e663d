// The sections of an experiment that are settings only, and how one setting is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/keys.hpp"
#include "config/yaml_reader.hpp"
#include "model/experiment.hpp"

namespace evo::config {

/// The words of Key::choices.
[[nodiscard]] std::vector<std::string> choices_of(const Key& entry);

/// The value under `name`, within the bounds of the settings table, into `target` if the file has it.
template <class T>
void take(const Reader& section, std::span<const Key> table, std::string_view name, T& target) {
  const Key& entry = key(table, name);
  const auto value = section.find(name);
  if (!value) return;
  if constexpr (std::is_same_v<T, bool>) {
    target = value->boolean();
  } else if constexpr (std::is_same_v<T, double>) {
    target = value->number(entry.minimum, entry.maximum);
  } else if constexpr (std::is_same_v<T, std::string>) {
    target = value->choice(choices_of(entry), name);
  } else {
    target = static_cast<T>(
        value->integer(static_cast<std::int64_t>(entry.minimum), static_cast<std::int64_t>(entry.maximum)));
  }
}

/// Each takes what its section names, within the bounds of its table of keys, and leaves the rest as it is.
/// An unknown key, a wrong type or a value out of bounds is an error of the reader's kind.
void read_search(const Reader& reader, model::SearchSettings& search);
void read_budget(const Reader& reader, model::Budget& budget);
void read_gates(const Reader& reader, model::GateSettings& gates);

}  // namespace evo::config
