// What a gene or a compile-time axis is called in a kernel's source.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace evo::model {

/// Its name in capitals: "head_dim" is HEAD_DIM.
[[nodiscard]] inline std::string macro_name(std::string_view name) {
  std::string macro(name);
  std::transform(macro.begin(), macro.end(), macro.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return macro;
}

}  // namespace evo::model
