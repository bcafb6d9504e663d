// Loops as operators on the text see them, and what a part of the text changes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// A `for` that can be edited: init; condition; step, and its body.
struct ForLoop {
  std::size_t node = 0, body = 0;
  source::Span init, condition, step;
  std::vector<std::size_t> statements;  ///< of the body: its children, or the one statement
  std::set<std::string> declared;       ///< in its head
};

/// nullopt for another node, and for a loop without a begin or a condition.
[[nodiscard]] std::optional<ForLoop> for_loop(const EditedSource& source, std::size_t node);
/// All of them, in the order of the text.
[[nodiscard]] std::vector<ForLoop> for_loops(const EditedSource& source);

/// The step of a loop's counter: 1 for ++, the text S of `i += S`, nothing for others.
[[nodiscard]] std::optional<std::string> stride_of(const source::Program& program, const ForLoop& loop,
                                                   const std::string& counter);
/// What the counter begins with, of `int i = E`.
[[nodiscard]] std::optional<source::Span> begin_of(const source::Program& program, const ForLoop& loop,
                                                   const std::string& counter);

[[nodiscard]] bool any_of_names(const std::set<std::string>& names, const std::set<std::string>& others);
/// break, continue, goto, return or a label inside: its statements cannot stand in another loop, or twice.
[[nodiscard]] bool jumps(const EditedSource& source, source::Span span);
/// Names that the span may change: the first one of a statement's side that is assigned to, one with ++ or
/// --, and one whose address is taken.
[[nodiscard]] std::set<std::string> changed_in(const EditedSource& source, source::Span span);

}  // namespace evo::mutators
