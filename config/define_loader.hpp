// Macros of a template that are no genes. All of it throws Invalid.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// "X = 2 * TILE", as a gene says it. Whether the right side is an expression or a text is decided by
/// settle_defines(), once all names are known.
[[nodiscard]] model::Define read_named_define(const Reader& reader);
/// `defines: {WIDTH: width, REAL: float}`.
[[nodiscard]] std::vector<model::Define> read_defines(const Reader& reader);

/// Decides of each define: an expression where it parses as one over genes and compile-time axes, otherwise a
/// text. A text that is a name near to one of these is Invalid, and so is a define of a gene's own macro.
/// `reader` is the template's map.
void settle_defines(const Reader& reader, const model::Problem& problem, model::Template& kernel);

/// A `#define NAME value` of the source whose name evo sets becomes a comment, with a note: evo's value
/// holds. One that stands under `#ifndef NAME` stays, since it yields by itself.
void yield_to_evo(const model::Problem& problem, model::Template& kernel);

}  // namespace evo::config
