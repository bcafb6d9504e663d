// What little of types can be read off a text that no types are known of.
#pragma once

#include <string>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// Bytes of an element of a type that copies well; 0 for another one.
[[nodiscard]] int bytes_of(const std::string& words);
/// The element type of a name as a statement sees it: of a pointer among the parameters, or of a declaration
/// in the function. Empty where there is neither.
[[nodiscard]] std::string element_type(const EditedSource& source, std::size_t node, const std::string& name);

enum class Floating : std::uint8_t { no, single_precision, double_precision };
/// Whether something in the span, seen from `node`, shows that it is a number with a fraction: a literal, a
/// name that was declared so, a function of floats.
[[nodiscard]] Floating floating(const EditedSource& source, std::size_t node, source::Span span);

/// The index names the counter once, as itself or in a sum: neighbours in a row.
[[nodiscard]] bool counts_along(const source::Program& program, source::Span index,
                                const std::string& counter);

}  // namespace evo::mutators
