// Constants to which a source gives a value itself. In PTX a value of zeros is none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::gates {

/// Names of the __constant__ variables that `source` declares with an initialiser, `= {0}` or `{}`, without
/// their namespaces. Comments and strings are passed over; what macros make is not seen.
[[nodiscard]] std::vector<std::string> constants_with_value(std::string_view source);

/// Variables of `ptx` in .const, as the module calls them, to which `source` gives a value.
[[nodiscard]] std::vector<std::string> variables_with_value(const std::string& ptx, std::string_view source);

}  // namespace evo::evaluators::gates
