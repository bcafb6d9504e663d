// The statements of one function's body.
#pragma once

#include "source/program.hpp"

namespace evo::source {

/// Appends the body at the brace `open` to the program's nodes; the token behind it. Complaints go to the
/// program.
std::size_t read_body(Program& program, std::size_t function, std::size_t open);

}  // namespace evo::source
