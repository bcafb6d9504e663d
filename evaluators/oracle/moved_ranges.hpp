// Between which numbers each element of an answer moves when the inputs move a little.
//
// What an output as a whole moves by is granted (conditioning.hpp), and two draws show it where many elements
// move. Where an answer hangs on one pair that nearly ties (the weights of two keys), both of the pair go the
// same way in a quarter of all pairs of draws: nothing moves, and a correct kernel that rounds would be
// refused for that luck. So before a mismatch is told, more draws are asked, and each element is granted what
// it moves by itself: one that moves excuses no other.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/blurred.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// As blurred_elements(): the elements that move, and between which of 16 answers to inputs that are off by
/// `relative` they do (measure_conditioning(), whose `entropy` and `held` these are); with_blurred() grants
/// them. Elements that jump though no rounding takes them across are none (jumps.hpp). `oracle` must outlive
/// it.
[[nodiscard]] BlurredElements moved_ranges(const Oracle& oracle, const model::Case& bound, double relative,
                                           std::uint64_t entropy, std::vector<double> held);

}  // namespace evo::evaluators::oracle
