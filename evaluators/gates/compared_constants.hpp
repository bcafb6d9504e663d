// Numbers that a module's code compares integers with: where a path begins or ends, whatever it is for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::evaluators::gates {

/// What setp and set compare integers with, between 33 (small sizes are drawn anyway) and 2^24: those that
/// are asked for equality first, then the largest; each once, at most `most`. Empty for PTX that evo cannot
/// read.
[[nodiscard]] std::vector<std::int64_t> compared_constants(const std::string& ptx, std::size_t most = 6);

}  // namespace evo::evaluators::gates
