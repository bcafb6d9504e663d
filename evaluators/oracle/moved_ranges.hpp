// Between which numbers each element of an answer moves when the inputs move a little.
//
// What an output as a whole moves by is granted (conditioning.hpp), and two draws show it where many elements
// move. Where an answer hangs on one pair that nearly ties (the weights of two keys), both of the pair go the
// same way in a quarter of all pairs of draws: nothing moves, and a correct kernel that rounds would be
// refused for that luck. So before a mismatch is told, more draws are asked, and each element is granted what
// it moves by itself: one that moves excuses no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// The least and the greatest of the answers, the reference's own among them.
struct MovedRange {
  double low = 0, high = 0;
};

/// Of each floating-point output, a range for each element; empty for other arguments, or where nothing was
/// found. Found when first asked for, of a case's data given its inputs and outputs; copies share what was
/// found. Thread-safe.
using MovedRanges =
    std::function<const std::vector<std::vector<MovedRange>>&(const InputBuffers&, const ReferenceOutputs&)>;

/// Of 16 answers to inputs that are off by `relative` (measure_conditioning(), whose `entropy` and `held`
/// these are). Elements that jump though no rounding takes them across have no range but their own number
/// (jumps.hpp). `oracle` must outlive it.
[[nodiscard]] MovedRanges moved_ranges(const Oracle& oracle, const model::Case& bound, double relative,
                                       std::uint64_t entropy, std::vector<double> held);

/// `outputs[index]` (all elements) with each replaced by the number of its range that is nearest to that of
/// `actual`; nullopt where there are no ranges, `ranges` is empty, or elements are compared in an order of
/// their own (Reduction).
[[nodiscard]] std::optional<std::vector<double>> with_moved(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& outputs, const InputBuffers& inputs, const MovedRanges& ranges);

}  // namespace evo::evaluators::oracle
