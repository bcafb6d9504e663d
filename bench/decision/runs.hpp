// Whole runs: how many promote a copy, and what is found in them.
#pragma once

namespace evo::bench {

/// Prints for each noise and rule: runs of 400 copies in which any is promoted, of so many; what a copy
/// costs; and in runs in which every fortieth candidate is 1, 2 or 5 % faster than the champion, how many of
/// those are found and what each costs.
void print_runs(int runs, double margin);

}  // namespace evo::bench
