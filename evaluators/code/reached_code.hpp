// What of a module's PTX its launched kernels can reach.
#pragma once

#include <string>
#include <vector>

namespace evo::evaluators::code {

/// `ptx` with every function blanked out that no kernel of `entries` reaches: neither a call nor an address
/// of it stands in a function that is reached, nor in an initialiser of the module. What nobody launches
/// cannot run, so nothing needs to look at it. Lines keep their numbers, and variables of the module stay. A
/// text that this does not read, or one without these entries, comes back as it is.
[[nodiscard]] std::string reached_code(const std::string& ptx, const std::vector<std::string>& entries);

/// Kernels that `ptx` defines, in its order.
[[nodiscard]] std::vector<std::string> kernels_in(const std::string& ptx);

}  // namespace evo::evaluators::code
