// What the variables of a module are called in C++.
#pragma once

#include <string>
#include <vector>

namespace evo::evaluators::code {

/// Is `variable`, a name in a module, what C++ calls `name` ("d_filter", "ns::table")? Namespaces without a
/// name and those that the compiler adds are passed over (Itanium C++ ABI, 5.1.2).
[[nodiscard]] bool is_called(const std::string& variable, const std::string& name);

/// Variables in .const and .global of `ptx` that C++ calls `name`, as the module calls them.
[[nodiscard]] std::vector<std::string> variables_called(const std::string& ptx, const std::string& name);

}  // namespace evo::evaluators::code
