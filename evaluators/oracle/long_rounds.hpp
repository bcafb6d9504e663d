// Inputs on which what goes round until nothing changes goes round for long: mazes with one winding
// way, matrices in which only a chain is cheap, pairs that Euclid's algorithm takes most steps for. On
// numbers drawn at random such loops end after a few rounds, so that a kernel with a fixed number of them
// passes.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// The sets for such `arguments`. Kinds:
/// - `winding`      integers of two dimensions or more, one argument apart: the least number along a way that
///                  goes to and fro through all of the last two, the largest beside it (without a fill 0, 1);
/// - `winding_high` the other way round;
/// - `chain`        of a matrix whose last two dimensions are one axis, one argument apart: the least number
///                  from each index to the next, the largest elsewhere; in every second case of another
///                  order;
/// - `euclid`       integers of 16 bits or more, all at once: neighbours in Fibonacci's sequence, the larger
///                  in the first such argument, where the argument has room for them.
[[nodiscard]] std::vector<model::InputSet> sets_of_long_rounds(const std::vector<model::Argument>& arguments);

/// Of those kinds.
[[nodiscard]] bool is_of_long_rounds(std::string_view kind);

/// Replaces the drafts of such arguments by what the set's kind says; others stay. After draw_fills().
void draw_long_rounds(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                      DraftInputs& draft);

}  // namespace evo::evaluators::oracle
