// One launch of a reference kernel on one device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "evaluators/devices/device.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::reference {

struct ReferenceRun {
  const model::Artifact& artifact;
  model::DType real = model::DType::f64;  ///< what the artifact takes for EVO_REAL
  const model::Case& bound;               ///< as the candidate gets it; has a reference_launch
  const oracle::InputBuffers& inputs;
  std::span<const std::int64_t> rows;  ///< of the output; empty: all of it
  bool ask_for_untouched = false;      ///< see untouched.hpp; only where all rows are asked for
  /// Where there is one, it gets the bits of what is judged of integers of 64 bits; only where all rows are
  /// asked for.
  oracle::ExactWords* words = nullptr;
};

/// Widens the inputs, launches and reads. Error, with the reference's line where there is one: a finding of
/// the virtual device, a fault of a real one, an output element of which a byte is unwritten. A real device
/// is launched a second time over other contents of the outputs, so that what nobody writes shows there, too.
[[nodiscard]] model::Expected<oracle::ReferenceOutputs> run_reference(devices::Device& machine,
                                                                      const ReferenceRun& run);

/// Thread instructions of the same launch on a virtual device, whole and without checks; nullopt: it fails,
/// or executes more than the case's reference_budget.
[[nodiscard]] std::optional<std::uint64_t> count_instructions(devices::Device& machine,
                                                              const ReferenceRun& run);

}  // namespace evo::evaluators::reference
