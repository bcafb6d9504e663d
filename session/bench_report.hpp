// What `evo bench` found, as values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/benchmark/side_by_side.hpp"
#include "model/measurement.hpp"

namespace evo::session {

/// A comparator that was looked for.
struct BenchComparator {
  std::string name;         ///< "PyTorch 2.11.0, cuDNN 91900"
  std::string unavailable;  ///< why not; empty otherwise
};

struct BenchCase {
  std::string workload;
  bool sweep = false;
  double flops = 0, bytes = 0;
  std::string skipped;  ///< why nothing was measured; empty otherwise
  std::vector<evaluators::benchmark::Standing> standings;
};

struct BenchModelled {
  std::string contender, unavailable;
  std::vector<model::WorkloadLatency> latencies;
};

struct BenchReport {
  std::string run, experiment, target;
  std::string device_kind, device_name, driver, uuid, toolchain;
  std::int64_t l2_bytes = 0;
  std::vector<std::pair<std::string, std::string>> variants;  ///< label, id
  std::vector<BenchComparator> comparators;
  std::vector<BenchCase> cases;         ///< measured
  std::vector<BenchModelled> modelled;  ///< on the virtual device instead
  std::string floor = "launch floor";   ///< contender that is no contender: empty kernels

  /// Whether there are modelled rows, and every one of them was refused.
  [[nodiscard]] bool all_refused() const;
};

}  // namespace evo::session
