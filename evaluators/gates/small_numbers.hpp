// What data a kernel sees where a scalar is another number than the problem says.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::gates {

/// Of a proof, for a case in which an integer that the problem gives as a number (a flag, a mode) is another
/// one, or a floating-point scalar is 1 or 1/2 that usually is not: the input sets in which zeros, ones and
/// equal numbers of both signs, and the ends of integers, stand side by side, within an array and in several,
/// and one in which all are alike.
/// Kernels go ways of their own on such data, and what they do there may hang on the scalar. Where a
/// floating-point scalar is less than a 512th of its usual value, the set in which all inputs are small: a
/// floor under what is computed of both shows. Empty for any other case, or if there are no such sets.
[[nodiscard]] std::vector<std::size_t> sets_of_small_numbers(const DeviceJob& job, std::size_t case_index);

/// For a case with an integer that nobody declared: an undeclared set of values that grow along rows and one
/// of values that fall, of another array for each `turn`. A reach that is one element short is seen in each
/// element of them, and in few of drawn ones. Empty for any other case.
[[nodiscard]] std::vector<std::size_t> sets_in_order(const DeviceJob& job, std::size_t case_index,
                                                     std::size_t turn);

}  // namespace evo::evaluators::gates
