// Inputs that are the very numbers which a kernel compares them with, as they were loaded, or next to them:
// there `>`, `>=` and what takes neighbours for equal differ, and no rounding has a part in it.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

inline constexpr std::string_view compared_kind = "compared";

/// What elements are compared with as they were loaded.
struct ComparedWith {
  std::set<std::size_t> scalars;    ///< indices of arguments
  std::set<std::size_t> opposites;  ///< of those whose opposite it is
  std::set<double> numbers;
  /// By how many units in the last place, at least, elements are off them, beside those that are the very
  /// numbers: 1; more: none is the very number, and a kernel may round on its way to the comparison.
  int off_by = 1;
};
/// Of a kernel that does not compare what it has loaded: a handful of roundings may lie between.
inline constexpr int off_by_roundings = 16;

/// A set of that kind: normal, but in about a third of the elements of every floating-point input one of
/// these scalars, as the case has it, or of these numbers, at most eight and none beyond 2^20, and in as many
/// one that is off one of these by `off_by` to some thousand units in the last place of the input's type.
/// Those that the input's type does not hold, and a fill of it does not draw, stay out of it. nullopt: there
/// is none to put anywhere, or a workspace, which may hold what was computed.
[[nodiscard]] std::optional<model::InputSet> set_of_compared(const std::vector<model::Argument>& arguments,
                                                             const ComparedWith& with);

/// As the kernel gets them, and what stands next to them, ascending, and not 0; empty for a set of another
/// kind.
[[nodiscard]] std::vector<double> compared_values(const model::Case& bound, const model::InputSet& set);

/// As the type holds it.
[[nodiscard]] double as_stored(model::DType dtype, double value);

/// Does the argument's type hold the number, and might its fill draw it?
[[nodiscard]] bool takes_number(const model::BoundArgument& argument, const model::InputSet& set,
                                double value);

/// Over what fills have drawn.
void put_compared(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft);

}  // namespace evo::evaluators::oracle
