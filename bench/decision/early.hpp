// Comparisons that begin before their trial is the next to be committed: what they cost and whether the error
// of the run stays where it is.
#pragma once

#include <cstddef>

namespace evo::bench {

/// Prints for one of modelled_noises() and for 1, 2, 4 and 8 GPUs, with comparisons one by one at their
/// commit and with early ones: runs of 400 candidates that are faster by the margin and no more in which any
/// is promoted, of so many, and the same of copies; and of runs in which every fortieth candidate is 2 %
/// faster than whom its proposer saw: gains found, comparisons thrown away and their device time, and the
/// time of a run.
void print_early(int runs, std::size_t noise, double margin);

}  // namespace evo::bench
