// The ceilings of a device, measured once and kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/devices/device.hpp"
#include "session/ceilings.hpp"

namespace evo::session {

/// What the kernels of targets/ceilings/ need to know of a device.
struct DeviceSize {
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

/// Folders with the kernels' sources (targets/ceilings) and with the headers that they include
/// (kernels/common); the first of each that holds them. Throws model::Exception(environment) without them.
struct CeilingSources {
  std::filesystem::path kernels, headers;
};
[[nodiscard]] CeilingSources find_ceiling_sources();

/// Runs every kernel that the device's architecture takes: the median of its samples, the fastest kernel of
/// each ceiling. One that does not compile or run is missing, with the reason.
[[nodiscard]] Ceilings measure_ceilings(evaluators::devices::Device& device,
                                        evaluators::compile::Compiler& compiler, const DeviceSize& size,
                                        const CeilingSources& sources);

/// $XDG_CACHE_HOME/evo/ceilings, or ~/.cache/evo/ceilings.
[[nodiscard]] std::filesystem::path ceilings_folder();

/// The file of `folder` for this device, driver, compiler and these sources.
[[nodiscard]] std::filesystem::path ceilings_file(const std::filesystem::path& folder,
                                                  const evaluators::devices::DeviceInfo& device,
                                                  const std::string& compiler, const CeilingSources& sources);
/// nullopt for a file that is absent, damaged or of another version.
[[nodiscard]] std::optional<Ceilings> read_ceilings(const std::filesystem::path& file);
/// Why it could not be written; empty: it was.
[[nodiscard]] std::string write_ceilings(const Ceilings& ceilings, const std::filesystem::path& file);

/// Those of the file, unless `again`, or measured now and stored there.
[[nodiscard]] Ceilings known_or_measured_ceilings(evaluators::devices::Device& device,
                                                  evaluators::compile::Compiler& compiler,
                                                  const DeviceSize& size, const std::filesystem::path& folder,
                                                  bool again);

}  // namespace evo::session
