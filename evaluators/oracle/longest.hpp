// Inputs that the problem's own reference takes longest for. How often a loop goes round that data decides is
// known to nobody but the reference, so it is asked: of some draws of several kinds, and of changes of the
// longest so far, the one on which it executes most instructions is shown to kernels.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// Kind of the set.
inline constexpr std::string_view longest_kind = "longest";

/// The set for `arguments`, or none: an input of integers is what it changes. Planned for
/// light cases; others meet it where sets take turns.
[[nodiscard]] std::vector<model::InputSet> sets_of_longest(const std::vector<model::Argument>& arguments);

/// Inputs of the case in the set of that kind, made by `draw` of sets of other kinds: of a draw at random
/// where `oracle` counts no instructions or they do not hang on the data. Once 2^24 thread
/// instructions are spent it is not asked again; one answer takes 2^22 a block at most, and there are no more
/// than 64.
[[nodiscard]] model::Expected<InputBuffers> longest_inputs(
    const ComputedOracle* oracle, const model::Case& bound, const InputKey& key,
    const std::function<model::Expected<InputBuffers>(const model::InputSet&, const InputKey&)>& draw);

}  // namespace evo::evaluators::oracle
