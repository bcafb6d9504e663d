// Expressions in floating point, as metrics and scalars have them: 0.5 * m / sqrt(k).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace evo::model {

using RealValues = std::map<std::string, double, std::less<>>;

/// `text` with + - * / % // **, parentheses, numbers such as 1e9, and the functions of real_parser.hpp, all
/// in double. An error says what is wrong and at which character; an unknown name is one, a division by zero
/// is infinite.
[[nodiscard]] tl::expected<double, std::string> evaluate_real(std::string_view text,
                                                              const RealValues& values);

struct RealUse {
  std::set<std::string> names;
  bool real = false;  ///< a number that is no integer stands in it, or a function that integers do not have
};
[[nodiscard]] tl::expected<RealUse, std::string> use_of_real(std::string_view text);

/// The same in C++, with <algorithm> and <cmath>; `name` gives an expression of type double for a name.
[[nodiscard]] tl::expected<std::string, std::string> real_in_cpp(
    std::string_view text, const std::function<std::string(const std::string&)>& name);

}  // namespace evo::model
