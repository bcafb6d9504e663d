// A reference that computes in float or half, made to compute in double.
#pragma once

#include <string>
#include <vector>

namespace evo::intake {

/// Macros that make float, half and bfloat16 double, their vectors vectors of double, and the functions on
/// them functions of double. They stand behind the includes, so that no header sees them. `names`: the words
/// of the reference; only what it mentions is defined. Empty where there is nothing to widen. `doubles`: it
/// takes double, which is what EVO_REAL is, too.
[[nodiscard]] std::string widening_for(const std::vector<std::string>& names, bool doubles = false);

/// Whether the type is one of those that widening_for replaces: float, half2.
[[nodiscard]] bool is_widened(const std::string& type);

/// The text with its literals of float (2.0f) as EVO_REAL(2.0f): what is made of them and of integers alone,
/// such as -2.0f * i / n, is no float then either. Lines stay. As it is where it makes integers of numbers:
/// which, a literal in float may decide.
[[nodiscard]] std::string with_wide_literals(const std::string& text);

/// What a reference is called with in the place of an array of `type` ("double", "unsigned long long"): it
/// becomes a pointer to any type of the same kind and size, or to a struct of several. Others do not
/// compile. Text in front of the reference, where float still is float.
[[nodiscard]] std::string array_converter();
/// "evo_array<double>(x)".
[[nodiscard]] std::string converted(const std::string& type, const std::string& name);

}  // namespace evo::intake
