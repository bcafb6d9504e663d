// Where in a JSON file a value stands that was named by its path.
#pragma once

#include <optional>
#include <string_view>

namespace evo::intake {

/// The line, from 1, of the value at a path such as "KernelSpecification.Arguments[1].Type"; of the deepest
/// part of the path that there is. Nothing where `text` is no JSON.
[[nodiscard]] std::optional<int> json_line(std::string_view text, std::string_view path);

}  // namespace evo::intake
