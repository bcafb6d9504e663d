// Integers of 64 bits beyond 2^53, of which a double keeps the upper bits only: what is computed of integers
// alone is held to all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// What compare() cannot tell of `reference`, all rows of it: the bits of judged integers of 64 bits, where
/// some of these are beyond 2^53 and no input is a floating-point number, so that no rounding decides what an
/// integer is. Asks the oracle once more; empty where doubles tell all, and where it has nothing else.
[[nodiscard]] ExactWords exact_words(const Oracle& oracle, const model::Case& bound,
                                     const InputBuffers& inputs, const Reference& reference);

struct WordDifference {
  std::vector<std::int64_t> coordinates;  ///< of the first element
  std::int64_t expected = 0, actual = 0;
  std::int64_t count = 0;  ///< of all that differ
};

/// The elements of an output's buffer that differ from `words`; of a launch of some blocks, those of which
/// `written` has a byte (empty: all).
[[nodiscard]] std::optional<WordDifference> difference_of_words(const model::BoundArgument& argument,
                                                                std::span<const std::byte> actual,
                                                                std::span<const std::int64_t> words,
                                                                std::span<const std::uint8_t> written);

}  // namespace evo::evaluators::oracle
