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
  std::size_t declared = source::none;  ///< statement; none for a parameter
};

/// The parameters of a function, each its tokens.
[[nodiscard]] std::vector<source::Span> parameters_of(const EditedSource& source,
                                                      const source::Function& function);
/// nullopt for a parameter that is no pointer.
[[nodiscard]] std::optional<Pointer> pointer_of(const EditedSource& source, source::Span parameter);
/// All of a function's parameters that are pointers.
[[nodiscard]] std::vector<Pointer> pointers_of(const EditedSource& source, const source::Function& function);

/// Pointers of kernel `function` into global memory: its parameters, and names declared as a place behind one
/// of these: const float* row = x + blockIdx.x * n.
[[nodiscard]] std::vector<Pointer> global_pointers_of(const EditedSource& source, std::size_t function);
/// The one that `name` means in front of `node`; nullptr if none of them.
[[nodiscard]] const Pointer* pointer_named(const EditedSource& source, const std::vector<Pointer>& pointers,
                                           std::size_t node, const std::string& name);

/// Is [begin, end) the place that the statement assigns to, or that & is taken of?
[[nodiscard]] bool is_target(const EditedSource& source, source::Span statement, std::size_t begin,
                             std::size_t end);

}  // namespace evo::mutators
