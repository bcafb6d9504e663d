// Reads what compute-sanitizer prints. The format is that of "Compute Sanitizer", NVIDIA's user manual,
// sections "Understanding ... Reports", 2021.1 to 2025.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::sanitizer {

/// Findings in a tool's output, in the words of the virtual device where it has one: out_of_bounds,
/// misaligned, race_shared, uninitialized, barrier_divergence, hang; and warpgroup_sequence (wgmma that not
/// all warps of a group issue alike), device_heap. Each (kind, place, other place, severity) once.
///
/// file and line are those of the access, or of the first frame in a kernel's source. Details: "tool",
/// "severity" (error, warning, info), "count" of reports, and where the report has them "thread", "access"
/// ("write of 4 bytes to __global__ memory"), "address", "hazards", "other_access", "other_file",
/// "other_line", "other_thread", and "barrier" = "mbarrier" for reports about one.
[[nodiscard]] std::vector<model::Evidence> parse_findings(std::string_view output, const std::string& tool);

/// What the tool says at its end. Without it the tool did not finish.
struct Summary {
  std::int64_t errors = 0, warnings = 0;
};
[[nodiscard]] std::optional<Summary> parse_summary(std::string_view output);

/// The tool's own words for why it could not work ("Device not supported", "Internal Sanitizer Error: ..."),
/// or "" if it says nothing of the kind.
[[nodiscard]] std::string parse_complaint(std::string_view output);

/// "" if there is none of that name.
[[nodiscard]] std::string detail_of(const model::Evidence& evidence, std::string_view name);

}  // namespace evo::evaluators::sanitizer
