// The page without data, as scripts/web built it.
#pragma once

#include <string_view>

namespace evo::report {

/// report/page.html; holds the data's place once.
[[nodiscard]] std::string_view page_asset();

}  // namespace evo::report
