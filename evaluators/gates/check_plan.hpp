// Which launches the correctness gate makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/placement.hpp"

namespace evo::evaluators::gates {

struct Check {
  std::size_t case_index = 0, set_index = 0;
  Placement placement;
  std::uint32_t poison = 0;  ///< draw of the poison patterns
  bool finite_poison = false;
  /// Linear numbers of the blocks that run, ascending; empty: all. Only on the virtual device.
  std::vector<std::uint64_t> blocks{};
};

/// A launch of at most this many floating-point operations is light: every input set sees it, declared or
/// not.
inline constexpr double light_flops = 2097152;  // 2^21

/// Every case with the input sets that its device owes it, cheapest case first.
///
/// Light cases see all sets; in a search (not DeviceJob::whole_launches) each undeclared one sees one or two
/// of them. Workloads see all declared sets, but on the virtual device, where they are heavy (above 2^28
/// floating-point operations), the first and one other, and on a real one in a search, where several are
/// large (above 2^32), the first and a share of the others: each set is seen at full size by one of them.
/// Their data takes the host far longer than the device. Other odd and drawn shapes see the first and one
/// other; a real device that runs whole launches shows odd shapes all declared sets. Far views
/// (oracle/layout.hpp) see two on every device. A placed case has each array at every alignment of its
/// elements, apart from the others, with declared sets in turn. Changed and stretched cases see the first set
/// and one other, in a search a stretched one sees one set. Crossed ones: crossed_checks.hpp.
///
/// On the virtual device a launch of many blocks runs a drawn sample of them, unless the job is to run whole
/// launches. Depends on the job only. Throws model::Exception if there is no case or no input set, since then
/// nothing would be proven.
[[nodiscard]] std::vector<Check> plan_checks(const DeviceJob& job, bool virtual_device);

/// Index of the case whose launches are repeated: the first; on the virtual device, where that one is heavy
/// (above 2^28 floating-point operations), the heaviest of those declared that are not.
[[nodiscard]] std::size_t repeated_case(const DeviceJob& job, bool virtual_device);

}  // namespace evo::evaluators::gates
