// What a .npy file must be to serve as the contents of an argument.
#pragma once

#include <string_view>

#include "model/error.hpp"
#include "model/fill.hpp"

namespace evo::config {

/// The array in a .npy file. The recording has no name yet. Error: what model::parse_npy() says, no elements
/// or more than 2^28, an element that is not finite.
[[nodiscard]] model::Expected<model::Recording> recording_of(std::string_view npy);

}  // namespace evo::config
