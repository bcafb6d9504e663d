// Integers that are rounded from floating-point numbers, as a quantiser's: which of them is right is
// undecided where the number lies so near the border of two that a rounding on the way takes it across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// What else a kernel in the problem's own precision could have computed, draw by draw: the oracle in float,
/// then its fp64 answers to inputs that are off by a few units in the last place. nullopt: no more draws, or
/// no answer.
using NearbyAnswers =
    std::function<std::optional<ReferenceOutputs>(const InputBuffers& inputs, std::uint64_t draw)>;

/// Empty where the case has no integer output that hangs on floating-point inputs. `oracle` must outlive it.
[[nodiscard]] NearbyAnswers nearby_answers(const Oracle& oracle, const model::Case& bound,
                                           std::uint64_t entropy);

/// `reference` (all elements of the integer output `index`) with those of `actual` in their places that
/// differ and are a nearby answer, too. nullopt if there is one that is none, or if so many differ (more than
/// four and one in 512) that it is no matter of borders. `written` as in CompareOptions.
[[nodiscard]] std::optional<std::vector<double>> with_undecided(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    std::span<const double> reference, std::span<const std::uint8_t> written, const InputBuffers& inputs,
    const NearbyAnswers& nearby);

}  // namespace evo::evaluators::oracle
