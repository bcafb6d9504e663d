// The quick look of compare(): is everything as it must be? It sums errors in one pass and gives up at the
// first sign of something that needs an explanation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/variant.hpp"

namespace evo::evaluators::oracle {

struct PassSums {
  double error_squares = 0, reference_squares = 0, largest_error = 0;
};

/// Sums over all elements, if all are finite, none that is off still holds the poison, no gap between
/// elements was written and, when `exact`, all equal the rounded reference. nullopt otherwise, and for types
/// that have no quick way (all but f16, bf16 and f32). `actual` holds the whole buffer. The order of
/// summation is fixed, so the sums are the same everywhere.
[[nodiscard]] std::optional<PassSums> pass_sums(const model::BoundArgument& argument,
                                                std::span<const std::byte> actual,
                                                std::span<const double> reference, bool exact,
                                                std::optional<std::uint32_t> poison);

/// What can be said of elements without a reference.
struct Survey {
  std::int64_t unwritten = 0;   ///< elements that hold the poison
  std::int64_t non_finite = 0;  ///< others that are NaN or infinite
};
[[nodiscard]] Survey survey_elements(const model::BoundArgument& argument, std::span<const std::byte> actual,
                                     std::optional<std::uint32_t> poison);

}  // namespace evo::evaluators::oracle
