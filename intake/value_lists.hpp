// Lists of values as Python writes them in T1 files: [1, 2] + list(range(32, 257, 32)), [2**i for i in
// range(6)].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace evo::intake {

/// The values in their order: numbers, and names without their quotes; True is 1 and False 0. The error says
/// what of the text is no list of values.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> listed_values(std::string_view text);

}  // namespace evo::intake
