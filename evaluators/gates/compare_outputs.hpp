// Judges what a launch left behind against the reference: first the device is read, then, on any thread, the
// bytes are compared.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// All that a comparison needs of a device.
struct Snapshot {
  std::vector<devices::HostBytes> bytes;  ///< one entry an argument, as CaseBuffers::read_all() gives them
  std::vector<std::uint32_t> patterns;
  std::vector<bool> unchanged{};  ///< of each argument: an input that the device saw to be as it was
  /// Of a launch of some blocks: which bytes it wrote, one entry an argument (empty for what is no output).
  std::vector<std::vector<std::uint8_t>> written{};
  std::optional<model::Failure> damage;              ///< a device that gives nothing back
  std::function<devices::Outcome<void>()> guards{};  ///< devices::Contents::guards; empty with Guards::skip
};

/// Reads inputs, outputs and the guard zones of all buffers on the device. With Guards::skip another snapshot
/// of the same moment has looked at the zones. `given`: what was written to the buffers; large inputs that
/// the device knows to be that still are then not copied.
[[nodiscard]] Snapshot take_snapshot(const JobContext& context, const CaseBuffers& buffers, Guards guards,
                                     const oracle::ReferenceData* given = nullptr);

/// Guard zones, unchanged inputs, and every output against its reference; reports all it finds. Does not
/// touch the device; thread-safe.
[[nodiscard]] std::optional<model::Failure> judge(const Bounds& bounds, const model::Case& bound,
                                                  const Snapshot& snapshot,
                                                  const oracle::ReferenceData& reference,
                                                  const Details& details);

}  // namespace evo::evaluators::gates
