// Elements to which the reference has no answer: it divides an integer by 0, or the least one by -1, and C++
// leaves open what comes out. Kernels that are as correct may have anything there.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// Of each argument, ascending: elements that are others if such a quotient is. Found when first asked for,
/// of a case's data given its inputs and outputs; copies share what was found. Thread-safe.
using UndefinedElements =
    std::function<const std::vector<std::vector<std::size_t>>&(const InputBuffers&, const ReferenceOutputs&)>;

/// Empty where the oracle cannot tell. `oracle` must outlive it.
[[nodiscard]] UndefinedElements undefined_elements(const Oracle& oracle, const model::Case& bound);

/// `outputs[index]` (all elements) with those of `actual` where they are undefined and finite; nullopt if
/// none is. Not of sums and sorted outputs, whose elements have no place.
[[nodiscard]] std::optional<std::vector<double>> with_undefined(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& outputs, const InputBuffers& inputs, const UndefinedElements& undefined);

/// Likewise of the bits of integers of 64 bits (exact_words.hpp), `words` being those of all elements.
[[nodiscard]] std::optional<std::vector<std::int64_t>> words_with_undefined(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    std::span<const std::int64_t> words, const ReferenceOutputs& outputs, const InputBuffers& inputs,
    const UndefinedElements& undefined);

}  // namespace evo::evaluators::oracle
