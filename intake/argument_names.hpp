// What the names of a kernel's parameters say.
#pragma once

#include <string>
#include <vector>

#include "intake/draft.hpp"

namespace evo::intake {

/// ASCII letters as small ones.
[[nodiscard]] std::string in_small_letters(std::string text);

/// The axis that a scalar of this name is, in the same letters if there is one, else in small or large ones
/// alike; null for none. It points into `axes`.
[[nodiscard]] const DraftAxis* axis_named(const std::vector<DraftAxis>& axes, const std::string& name);

}  // namespace evo::intake
