// Integers that are words of bits (packed 4-bit weights, flags, hashes), told from those that are numbers.
#pragma once

#include <cstdint>
#include <string_view>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Kind of the sets in which an integer that nobody says more of holds any bits of its type, though outputs
/// are floating-point numbers (plain_integers.hpp).
inline constexpr std::string_view bits_kind = "bits";

/// May a set of that kind be asked? Only where its argument holds words: other low bits change the outputs
/// about as much as any others do. What is summed, averaged or compared as a number changes by 2^-24 of
/// itself then, and a correct kernel may sum it in 32 bits, which have no room for such numbers. Of an inout,
/// likewise. Also where a few outputs alone hang on the bits, false: nothing is asked.
[[nodiscard]] bool holds_words(const Oracle& oracle, const model::Case& bound, const model::InputSet& set,
                               const InputBuffers& inputs, const Reference& reference, std::uint64_t seed);

}  // namespace evo::evaluators::oracle
