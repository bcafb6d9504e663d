// Inputs that make what is computed of them equal to a number that the code compares with: there `>` and `>=`
// of a sum or a product differ.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

inline constexpr std::string_view reaching_kind = "reaching";

struct ReachedValues {
  std::set<double> thresholds, factors;
  bool whole = false;    ///< integers and what lies halfway between them are thresholds, too
  bool scalars = false;  ///< and floating-point scalars and their squares
};

/// A set of that kind: each floating-point input holds few numbers, of which one makes a threshold of another
/// or of itself: the threshold, its half, its double and its root, one more and one less, and what a factor
/// or a scalar makes it of; and 0, 1, 2 and one half of either sign. Some stretches are all but zeros, so
/// that sums are of few terms, some are of one number. All of them are small multiples of one unit, so that
/// sums and products are exact in float in any order; thresholds that are none (0.7) have no part in it. At
/// most six thresholds and four factors; nullopt: there is no threshold, or no input to put anything in.
[[nodiscard]] std::optional<model::InputSet> set_of_reaching(const std::vector<model::Argument>& arguments,
                                                             const ReachedValues& reached);

/// Over what fills have drawn. Numbers that the input's type does not hold, or its fill does not draw, stay
/// out of it.
void put_reaching(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft);

}  // namespace evo::evaluators::oracle
