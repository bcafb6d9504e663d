// Elements of an answer in fp64 that hang on the roundings of fp64 itself: the oracle knows no more there
// than any kernel does.
//
// `m + log(s)` with m = 1e30 is m, and the share of one of two equals, exp(x - (m + log(s))), comes out as 1
// instead of one half. A kernel that computes exp(x - m) / s is correct, and would be refused.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// An element whose answer is finite, and between which numbers the finite answers lie that roundings of fp64
/// make of it.
struct Blur {
  std::size_t element = 0;
  double low = 0, high = 0;
};

/// Of each argument, ascending: floating-point elements that move by more than a millionth of themselves, or
/// of the output's root mean square, where each rounding of the oracle goes the other way. Found when first
/// asked for, of a case's data given its inputs and outputs; copies share what was found. Thread-safe.
using BlurredElements =
    std::function<const std::vector<std::vector<Blur>>&(const InputBuffers&, const ReferenceOutputs&)>;

/// A floating-point output whose elements are compared in their own places.
[[nodiscard]] bool may_be_blurred(const model::BoundArgument& argument);

/// Empty where the oracle cannot tell. `oracle` must outlive it.
[[nodiscard]] BlurredElements blurred_elements(const Oracle& oracle, const model::Case& bound);

/// `outputs[index]` (all elements) with those of `actual` in the places of what is blurred, where these are
/// finite and between the answers; nullopt if nothing is blurred.
[[nodiscard]] std::optional<std::vector<double>> with_blurred(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& outputs, const InputBuffers& inputs, const BlurredElements& blurred);

}  // namespace evo::evaluators::oracle
