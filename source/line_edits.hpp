// Edits of whole lines: what a change of a text by hand, or by a language model, is among a genome's edits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "source/edit.hpp"

namespace evo::source {

/// Where the text proper begins: behind the macros that are put in front of it (`#line 1 "FILE"`).
[[nodiscard]] std::size_t text_begin(std::string_view source);

/// The edits that make `after` of `before`, both without macros in front; at most `most`, else one over all
/// that differs. anchor "@LINE+COUNT#HASH", payload "lines TEXT" with \n and \\ written as two characters.
[[nodiscard]] Edits line_edits(std::string_view before, std::string_view after, std::string_view operation,
                               std::size_t most);

/// The bytes of `source` that a line edit replaces, and what stands there instead.
struct LineChange {
  std::size_t begin = 0, end = 0;
  std::string text;
};
/// nullopt for another kind of edit, and where the lines are not what they were.
[[nodiscard]] std::optional<LineChange> line_change(std::string_view source, const Edit& edit);

}  // namespace evo::source
