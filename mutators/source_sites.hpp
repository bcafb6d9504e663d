// What operators on the text look for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// Nodes of what the kernels reach, in the order of the text, that can be edited.
[[nodiscard]] std::vector<std::size_t> nodes_of(const EditedSource& source);
/// Those of them that only order threads or memory.
[[nodiscard]] std::vector<std::size_t> barriers_of(const EditedSource& source);
[[nodiscard]] bool is_barrier(const EditedSource& source, std::size_t node);
/// Does it order all threads of the block, and nothing else, however it is written?
[[nodiscard]] bool is_block_barrier(const EditedSource& source, std::size_t node);
/// A statement of a block, not of an if or a loop without braces.
[[nodiscard]] bool in_block(const EditedSource& source, std::size_t node);
/// The statement `steps` behind (in front, where negative) among those of its block.
[[nodiscard]] std::optional<std::size_t> sibling(const EditedSource& source, std::size_t node, int steps);
/// The statement's text with token `at` (of the program) written as `text`.
[[nodiscard]] std::string with_token(const EditedSource& source, source::Span span, std::size_t at,
                                     std::string_view text);
/// A list of one edit.
[[nodiscard]] Change one_edit(std::string_view operation, std::string anchor, std::string payload);

}  // namespace evo::mutators
