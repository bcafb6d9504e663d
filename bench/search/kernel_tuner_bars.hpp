// What another tuner reached on recorded spaces, for comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::bench {

/// Prints a row for each strategy of Kernel Tuner on this landscape, after so many trials each, "-" where
/// that is not known; nothing for other landscapes.
void print_kernel_tuner_bars(const std::string& landscape, const std::vector<std::int64_t>& marks);

}  // namespace evo::bench
