// Scalars that the user says by sizes, where a launch names them.
#pragma once

#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/request.hpp"

namespace evo::intake {

/// A launch's text over genes and axes: each integer that was told as an expression over axes (height of
/// 'height: k / 8') in its place. Names of axes and genes stay what they are.
/// So is one that was told as a number, and is fixed. Throws model::Exception(usage) where the text names one
/// that gates vary: a launch cannot follow it.
[[nodiscard]] std::string with_told_sizes(const Draft& draft, const std::string& flag, std::string text);

/// What was told of scalars, where that names others that were told: 'volume: rows * columns' over axes. A
/// whole number that is named so, or by one of the launch's texts, becomes `fixed`, unless a range of it was
/// told: nothing that is written with it could follow another one. Returns a note for each of these.
[[nodiscard]] std::vector<std::string> settle_told_names(std::vector<ArgumentFlag>& flags,
                                                         const std::vector<std::string>& launch,
                                                         const std::vector<std::string>& sizes);

}  // namespace evo::intake
