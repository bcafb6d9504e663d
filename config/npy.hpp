// NumPy's file format, as far as numbers in C order go.
#pragma once

#include <string_view>

#include "model/error.hpp"
#include "model/fill.hpp"

namespace evo::config {

/// The array in a .npy file (format 1 to 3), its numbers as doubles: f2 to f8, i1 to i8, u1 to u8, b1,
/// little-endian. The recording has no name yet. Error: what is wrong with the text, or not among these.
[[nodiscard]] model::Expected<model::Recording> parse_npy(std::string_view bytes);

}  // namespace evo::config
