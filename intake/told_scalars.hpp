// Scalars that the user says by sizes, where a launch names them.
#pragma once

#include <string>

#include "intake/draft.hpp"

namespace evo::intake {

/// A launch's text over genes and axes: each integer that was told as an expression over axes (height of
/// 'height: k / 8') in its place. Names of axes and genes stay what they are.
/// Throws model::Exception(usage) where the text names an integer that was told as a number: gates vary such
/// an integer, and a launch cannot follow it.
[[nodiscard]] std::string with_told_sizes(const Draft& draft, const std::string& flag, std::string text);

}  // namespace evo::intake
