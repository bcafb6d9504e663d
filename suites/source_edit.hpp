// An edit of a CUDA source that names its place by what stands there, and survives what does not change the
// code: another format, other comments, other names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace evo::suites {

struct Token {
  std::string_view text;
  std::size_t begin = 0;  ///< offset of its first character
};

/// Identifiers, numbers, literals and single punctuation marks, in order; blanks and comments are left out.
/// The tokens refer to `text`.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

struct SourceEdit {
  std::string old_text;  ///< its tokens stand once in the source, or once within the statement `at` names
  std::string new_text;  ///< what takes their place; may be empty
  /// The name of an anchor, the comment `// @NAME` in the source: behind a statement, or on a line of its own
  /// before one. "" for none.
  std::string at{};
};

struct EditedSource {
  std::string text;
  int line = 0;  ///< of `text`, from 1, where it begins to differ
};

/// Applies the edit. An identifier of old_text that is gone from the source stands for whatever identifier
/// has taken its place, the same one throughout, in new_text too. The error says what does not fit.
[[nodiscard]] model::Expected<EditedSource> apply_edit(const std::string& source, const SourceEdit& edit);

}  // namespace evo::suites
