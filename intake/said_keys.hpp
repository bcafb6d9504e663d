// Whether a key of problem.yaml was given to an argument of a draft.
#pragma once

#include <algorithm>
#include <string_view>

#include "intake/draft.hpp"

namespace evo::intake {

inline bool is_said(const DraftArgument& argument, std::string_view name) {
  return std::ranges::any_of(argument.keys, [&](const auto& key) { return key.first == name; });
}

/// The contents that give_more_integers() gives an array.
inline const char* more_integers(const DraftArgument& argument) {
  return argument.dtype.starts_with('i') ? "{integers: [-1000, 1000]}" : "{integers: [0, 1000]}";
}

}  // namespace evo::intake
