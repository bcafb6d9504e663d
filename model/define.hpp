// What reaches the compiler besides the genes' own macros: macros by expression or text, and options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/expression.hpp"
#include "model/space.hpp"

namespace evo::model {

struct Template;

/// A macro of a template: `WIDTH = width`, `TILE2 = 2 * TILE`, `REAL = float`.
struct Define {
  std::string name;
  std::optional<Expression> value{};  ///< over genes and compile-time axes
  std::string text{};                 ///< without a value: as it is, {NAME} replaced as in an entry
};

/// `text` with {NAME} replaced by the value of that gene or fixed name; other braces stay.
[[nodiscard]] std::string with_values(const std::string& text, const Environment& environment);

/// `#define` lines of the template's defines, in their order. A value that cannot be evaluated becomes an
/// #error line that says why, so that the compile gate tells it.
[[nodiscard]] std::string render_defines(const Template& kernel, const Space& bound_space,
                                         const Genome& genome);

/// The compiler's options for `genome`: the template's, then those of its genes' values, in the genes' order.
[[nodiscard]] std::vector<std::string> compile_options(const Template& kernel, const Genome& genome);

}  // namespace evo::model
