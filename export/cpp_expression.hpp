// model::Expression as C++.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/error.hpp"
#include "model/expression.hpp"

namespace evo::exporting {

/// An identifier from any text: what is no letter or digit becomes '_'.
[[nodiscard]] std::string identifier(std::string_view text);

/// The C++ constant that stands for a symbol: "half" -> "symbol_half".
[[nodiscard]] std::string symbol_constant(std::string_view symbol);

/// `expression` as a C++ expression of type long long. `name_of` spells a name; symbols are spelt as their
/// constants; ceil_div, min, max, // and ** are calls of ceil_div, smaller, larger, floor_div and power.
[[nodiscard]] model::Expected<std::string> to_cpp(
    const model::Expression& expression, const std::function<std::string(const std::string&)>& name_of);

}  // namespace evo::exporting
