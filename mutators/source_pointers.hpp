// Pointers among a function's parameters, and what a statement does with a place in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

struct Pointer {
  std::string name;
  std::string element;   ///< its type's words without const, as in "float"
  std::size_t star = 0;  ///< the token of the last *
  bool constant = false, restricted = false;
};

/// The parameters of a function, each its tokens.
[[nodiscard]] std::vector<source::Span> parameters_of(const EditedSource& source,
                                                      const source::Function& function);
/// nullopt for a parameter that is no pointer.
[[nodiscard]] std::optional<Pointer> pointer_of(const EditedSource& source, source::Span parameter);
/// All of a function's parameters that are pointers.
[[nodiscard]] std::vector<Pointer> pointers_of(const EditedSource& source, const source::Function& function);

/// Is [begin, end) the place that the statement assigns to, or that & is taken of?
[[nodiscard]] bool is_target(const EditedSource& source, source::Span statement, std::size_t begin,
                             std::size_t end);

}  // namespace evo::mutators
