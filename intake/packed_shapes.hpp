// Shapes of arrays that hold several of an axis' elements in one: eight weights of 4 bits, a scale for 128.
#pragma once

#include <string>
#include <vector>

#include "intake/draft.hpp"

namespace evo::intake {

struct PackedShape {
  std::vector<std::string> shape;         ///< [k, ceil_div(m, 2)], or [k, m / 2] of an m that is a multiple
  std::vector<std::string> without_rest;  ///< [k, m / 2]; empty where that is `shape`
};

/// One axis shared out by 2, 4 and so on up to 128, alone and with any of the others; the plainest first.
/// Then two axes, both told to be multiples of that: [k / 32, m / 8].
[[nodiscard]] std::vector<PackedShape> packed_shapes(const Draft& draft);

}  // namespace evo::intake
