// Judges what a launch left behind against the reference: first the device is read, then, on any thread, the
// bytes are compared.
#pragma once

#include <functional>
#include <optional>
#include <span>
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

/// The same of several sets of buffers at once, with one wait for all; `given` has an entry for each. A
/// Failure is of a device that gives nothing back, or of guard zones that were changed beside any buffer.
[[nodiscard]] Outcome<std::vector<Snapshot>> take_snapshots(
    const JobContext& context, std::span<const CaseBuffers> sets,
    std::span<const oracle::ReferenceData* const> given);

/// devices::Device::digest() of each input, made once for all launches.
[[nodiscard]] const oracle::InputDigests::Digests& input_digests(const devices::Device& device,
                                                                 const oracle::ReferenceData& given);

/// Guard zones, unchanged inputs, and every output against its reference; reports all it finds. Does not
/// touch the device; thread-safe.
[[nodiscard]] std::optional<model::Failure> judge(const Bounds& bounds, const model::Case& bound,
                                                  const Snapshot& snapshot,
                                                  const oracle::ReferenceData& reference,
                                                  const Details& details);

}  // namespace evo::evaluators::gates
