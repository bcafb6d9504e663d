// Which kernel of a module a plain name means.
#pragma once

#include <string>
#include <string_view>

namespace evo::evaluators::compile {

/// The kernel `name` in the module: extern "C", or else the one function of that name outside of any
/// namespace that has a name, whose mangled name begins with _Z, the name's length and the name (Itanium C++
/// ABI, 5.1.2): what C++ finds from outside by that name alone. `name` itself where there is none, or more
/// than one.
[[nodiscard]] std::string entry_in(std::string_view ptx, const std::string& name);

}  // namespace evo::evaluators::compile
