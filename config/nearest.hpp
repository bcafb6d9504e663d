// "did you mean": the nearest of some known words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::config {

/// The known word with the least edit distance (insert, delete, replace, swap of neighbours; case ignored),
/// if it is near enough to be meant: at most a third of the longer word's length, and at least one edit.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// " (did you mean 'x'?)", or "; known: a, b, c" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace evo::config
