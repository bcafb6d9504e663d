// Tables of enumerator names, read in both directions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evo::model::detail {

/// `names[i]` is the name of the enumerator with value i.
template <class Enum, std::size_t N>
std::string_view enum_name(const std::array<std::string_view, N>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t N>
std::optional<Enum> enum_from_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace evo::model::detail
