// Numbers that a module's code compares integers with: where a path begins or ends, whatever it is for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::evaluators::gates {

/// What setp and set compare integers with, between 33 (small sizes are drawn anyway) and 2^24: those that
/// are asked for equality first, then the largest; then what remainders are taken of, the
/// least of a number and something else, and the ends of ranges that are asked for at once; last, where
/// integers are cut off to 10 to 18 bits (cvt.u16, a mask of ones), the first that does not come through.
/// Each once, at most `most`. Empty for PTX that evo cannot read.
[[nodiscard]] std::vector<std::int64_t> compared_constants(const std::string& ptx, std::size_t most = 6);

/// What they compare integers with, of any size and sign beyond 32, and below 0 where they ask for equality:
/// for elements of arrays. Those that are asked for equality first; each once, at most `most`. Words of 32
/// bits are read as signed.
[[nodiscard]] std::vector<std::int64_t> compared_integers(const std::string& ptx, std::size_t most = 12);

/// What setp and set compare floating-point numbers with, what min and max bound them by, and what they ask
/// the bits of a number of 32 for equality with, if that is a number of ordinary size; what is taken away
/// from something where there is such a comparison (|x - 17| < 0.01); and what lies halfway between
/// neighbours among these, for what happens within a range only. Ascending, each once, finite and not 0; of
/// more than `most` (the code of a mathematical function has some) those come first that are asked for
/// equality, and the last kind last.
[[nodiscard]] std::vector<double> compared_numbers(const std::string& ptx, std::size_t most = 12);
/// Of those the ones that stand in a comparison or a bound themselves; what is asked for equality first.
[[nodiscard]] std::vector<double> directly_compared(const std::string& ptx, std::size_t most = 12);

}  // namespace evo::evaluators::gates
