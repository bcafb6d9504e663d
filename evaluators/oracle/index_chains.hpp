// Arrays of indices that lead on, one element to the next: lists, paths, trees as deep as they can be, nearly
// regular gathers. Indices drawn at random lead nowhere after a few steps, so that a kernel that gives up
// after a number of them passes.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// The sets for such `arguments`, of all of them at once: integer inputs whose largest number is told over
/// the axes (`fill: {integers: [0, n - 1]}`), and for `next` and `previous` those of 32 bits and more that
/// have no fill (the last is -1 then). Kinds:
/// - `next`      each index is that of the next element, the last its own, or -1 where that is allowed;
/// - `previous`  of the one before;
/// - `path`      the first such argument its own index, the second the next one, and so on: the edges of a
///               path (two such arguments or more), in this order or, in every second case, the other;
/// - `swapped`   its own, but for some neighbours that are exchanged;
/// - `scalar`    the value of one of the integer scalars that are numbers, or of all but one element.
/// Offsets lie evenly in all but the last, so that rows are of one length.
[[nodiscard]] std::vector<model::InputSet> sets_of_indices(const std::vector<model::Argument>& arguments);

/// Kind of the set in which integers of a range are an integer scalar that is a number, all, all but one, or
/// in turn with others that are like it in their low 8 or 16 bits.
inline constexpr std::string_view held_scalar_kind = "scalar";

/// Of those kinds.
[[nodiscard]] bool leads_on(std::string_view kind);

/// Replaces the drafts of such arguments by what the set's kind says; others stay. After draw_fills().
void draw_indices(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft);

}  // namespace evo::evaluators::oracle
