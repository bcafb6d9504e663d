// A/A: copies of the baseline are neither faster nor wrong. What says otherwise would say so of real
// candidates too.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "model/problem.hpp"

namespace evo::cli {

/// Copy `number` of a template: its entry under another name, other white space between its lines, the same
/// tokens otherwise.
[[nodiscard]] model::Template renamed_copy(const model::Template& kernel, int number);

/// Takes options.aa copies of the baseline of options.subject (a run folder or an experiment) up the whole
/// ladder, from legality to the comparison of latencies that decides promotions in a run, and prints what
/// became of them. The search for duplicates, which would reuse the baseline's result, is left out. There are
/// at most 16 distinct sources: each is compiled once and submitted again and again, with all its launches
/// and timings made anew. Returns 0 if none was faster and none refused, otherwise 6.
int bench_aa(const CommonOptions& common, const BenchOptions& options);

}  // namespace evo::cli
