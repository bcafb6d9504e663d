// Whether a key of problem.yaml was given to an argument of a draft.
#pragma once

#include <algorithm>
#include <string_view>

#include "intake/draft.hpp"

namespace evo::intake {

inline bool is_said(const DraftArgument& argument, std::string_view name) {
  return std::ranges::any_of(argument.keys, [&](const auto& key) { return key.first == name; });
}

}  // namespace evo::intake
