// Which launches the correctness gate makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::gates {

struct Check {
  std::size_t case_index = 0, set_index = 0;
  unsigned alignment_shift = 0;  ///< for CaseBuffers::create
  std::uint32_t poison = 0;      ///< draw of the poison patterns
  bool finite_poison = false;
};

/// Every case with the input sets that its device owes it (DeviceJob::full_cases; a far view,
/// oracle/layout.hpp, sees the first set and one other on every device), cheapest case first, with base
/// alignments and poisons in turn; topped up so that every set and alignment occurs. Depends on the job only.
/// Throws model::Exception if there is no case or no input set, since then nothing would be proven.
[[nodiscard]] std::vector<Check> plan_checks(const DeviceJob& job, bool virtual_device);

/// Index of the case whose launches are repeated: the first; on the virtual device, where that one is heavy
/// (above 2^28 floating-point operations), the heaviest of those that are not.
[[nodiscard]] std::size_t repeated_case(const DeviceJob& job, bool virtual_device);

}  // namespace evo::evaluators::gates
