// Where edits apply, and what a text becomes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/edit.hpp"
#include "source/program.hpp"

namespace evo::source {

[[nodiscard]] std::string anchor_of(const Program& program, std::size_t node);
[[nodiscard]] std::string anchor_of(const Program& program, const Function& function);

/// The node that an anchor means: the one at its path if its tokens have the hash, otherwise the one of the
/// function with that hash whose path is the nearest (the earlier one of two); none if there is none.
[[nodiscard]] std::size_t node_at(const Program& program, std::string_view anchor);
/// Index of the function that an anchor of a function means; none if it has other parameters, or is gone.
[[nodiscard]] std::size_t function_at(const Program& program, std::string_view anchor);

struct Edited {
  std::string text;
  std::vector<std::size_t> dropped;  ///< positions in the list of the edits that do not apply
};

/// The program's text with the edits. One whose anchor is gone, or that touches what an earlier one of the
/// list has changed, is dropped. Lines stay lines: a finding in the result has the line of the text without
/// edits.
[[nodiscard]] Edited apply_edits(const Program& program, const Edits& edits);
[[nodiscard]] Edited apply_edits(const std::string& text, const Edits& edits);

/// Every edit of the list applies.
[[nodiscard]] bool applies(const Program& program, const Edits& edits);

}  // namespace evo::source
