// A value followed backwards through the text of a source: where what a line multiplies by was made.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evo::diagnose {

/// The name that `line` gives a value to, elements and members without what follows it; "" for a line that
/// does not.
[[nodiscard]] std::string assigned_name(const std::string& line);
/// All names in `line`, without its comment.
[[nodiscard]] std::set<std::string> names_in(const std::string& line);

/// Names that `line` multiplies by: correct of *=, beside *, the first two operands of fmaf. Not the name
/// that the line gives a value to, and no name twice.
[[nodiscard]] std::vector<std::string> factors_of(const std::string& line);

/// The line, from 1, that gives `name` the value that it has at line `at` of `lines`: the nearest assignment
/// before it, or, where there is none, the last one behind it, which a loop comes round to. Mere copies of
/// another name are followed to where that one is made; numbers that a name starts with are passed over.
/// 0 where nothing is found.
[[nodiscard]] int definition_line(std::span<const std::string> lines, int at, const std::string& name);

/// Lines that make the factors of line `at`, those with one of `words` only, in the order of factors_of().
[[nodiscard]] std::vector<int> factor_definitions(std::span<const std::string> lines, int at,
                                                  std::span<const std::string> words);

}  // namespace evo::diagnose
