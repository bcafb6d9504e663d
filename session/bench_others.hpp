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

/// The contenders that were found, and what was looked for. The process of a comparator outlives them.
struct BenchOthers {
  std::unique_ptr<evaluators::benchmark::ComparatorProcess> process{};
  std::vector<BenchComparator> found{};
  std::vector<std::unique_ptr<evaluators::benchmark::Contender>> contenders{};
};

/// The problem's comparator.py on `cuda:ordinal`, and what the packs bring where it cannot start or where
/// they are wanted. Both run on the GPU of `device`, which outlives them.
[[nodiscard]] BenchOthers start_others(const model::Problem& problem, const OthersWanted& wanted, int ordinal,
                                       evaluators::cuda::CudaDevice& device);

}  // namespace evo::session
