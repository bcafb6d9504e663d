// A kernel with its samples as one file: nvbench's JSON, which other tools read, with what evo needs to build
// and time the kernel again under the key "evo".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "export/stored_kernel.hpp"

namespace evo::session {

/// Microseconds a launch, one a sample; a single one where they are modelled.
struct StoredTimes {
  std::string workload;
  std::vector<double> samples_us;

  [[nodiscard]] double median_us() const;
};

struct StoredBaseline {
  exporting::StoredKernel kernel;
  std::string latency_kind;  ///< "measured" or "modelled"
  std::string device_name, driver, uuid, toolchain, evo_version;
  std::string cache;  ///< "hot" or "cold", the L2 that it was timed with; empty: modelled, or of an older evo
  std::vector<StoredTimes> times;  ///< of the kernel's workloads, in their order
};

/// Writes FILE, and beside it FILE-bin/N.bin: the samples of workload N as float32 seconds, as nvbench's
/// --jsonbin does. Throws model::Exception(environment) where that cannot be written.
void write_baseline(const StoredBaseline& baseline, const std::filesystem::path& file);

/// Reads FILE alone. Throws model::Exception: (usage) where it cannot be read, (invalid_configuration) where
/// it is no baseline of evo's.
[[nodiscard]] StoredBaseline read_baseline(const std::filesystem::path& file);

}  // namespace evo::session
