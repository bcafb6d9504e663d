// Who takes part in a measurement on a GPU besides evo's own kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluators/benchmark/comparator_process.hpp"
#include "evaluators/benchmark/contender.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "model/problem.hpp"
#include "session/bench_report.hpp"

namespace evo::session {

struct OthersWanted {
  bool no_comparators = false;
  bool libraries = false;  ///< what evo itself brings for the problem, not only in place of comparators
  std::string python = "python3";
};

/// The contenders that were found, and what was looked for. The processes of comparators outlive them.
struct BenchOthers {
  std::vector<std::unique_ptr<evaluators::benchmark::ComparatorProcess>> processes{};
  std::vector<BenchComparator> found{};
  std::vector<std::unique_ptr<evaluators::benchmark::Contender>> contenders{};
};

/// The problem's comparators (or its comparator.py), each a process that is told the GPU's ordinal; one that
/// sees another GPU than that of this UUID is told, and takes no part. False if none of those that are meant
/// to be there has started.
bool start_comparators(BenchOthers& others, const model::Problem& problem, const std::string& python,
                       int ordinal, const std::string& uuid);

/// The problem's comparators on `cuda:ordinal`, and what the packs bring where it cannot start or where
/// they are wanted. Both run on the GPU of `device`, which outlives them.
[[nodiscard]] BenchOthers start_others(const model::Problem& problem, const OthersWanted& wanted, int ordinal,
                                       evaluators::cuda::CudaDevice& device);

}  // namespace evo::session
