// Elements to which the reference has no answer: it divides an integer by 0, or the least one by -1, and C++
// leaves open what comes out. Kernels that are as correct may have anything there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// Of each argument, ascending: elements that are others if such a quotient is. Found when first asked for,
/// of a case's data given its inputs and outputs; copies share what was found. Thread-safe.
using UndefinedElements =
    std::function<const std::vector<std::vector<std::size_t>>&(const InputBuffers&, const ReferenceOutputs&)>;

/// Empty where the oracle cannot tell. `oracle` must outlive it. `may_be_most`: of inputs that nobody
/// declared, more than half of an output may be. Of declared ones none is then, or nothing would be judged.
[[nodiscard]] UndefinedElements undefined_elements(const Oracle& oracle, const model::Case& bound,
                                                   bool may_be_most);

/// What a kernel left, `actual`, with the reference's own numbers where these are undefined, so that nothing
/// of what the kernel has there tells of other elements: `words` where the bits of integers of 64 bits are
/// known (exact_words.hpp), else `outputs[index]`. What is_untouched() by `options` stays, since it must be
/// written. nullopt if nothing is undefined.
/// Not of sums and sorted outputs, whose elements have no place.
[[nodiscard]] std::optional<std::vector<std::byte>> with_undefined(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& outputs, std::span<const std::int64_t> words, const InputBuffers& inputs,
    const UndefinedElements& undefined, const CompareOptions& options);

}  // namespace evo::evaluators::oracle
