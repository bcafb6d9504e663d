// The problem's comparators that are kernels: templates at fixed genes, which no search tries. They stand
// beside a champion as any library does.
#pragma once

#include <string>
#include <vector>

#include "model/experiment.hpp"
#include "session/bench.hpp"
#include "session/bench_subject.hpp"

namespace evo::session {

struct KernelComparator {
  std::string name;
  model::Experiment experiment;  ///< the same, with its template as the problem's only one
  BenchVariant variant;
};

/// Those of the experiment's problem, in its order.
[[nodiscard]] std::vector<KernelComparator> kernel_comparators(const model::Experiment& experiment);

/// Each as a contender on the device of `on`, compiled by its compiler for every case that it is asked for.
void add_kernels(BenchDevice& on, const model::Experiment& experiment);

}  // namespace evo::session
