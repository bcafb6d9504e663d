// What a search may keep apart by how variants behave (`search.archive`): names of axes, and of what was
// counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evo::model {

/// Kind of the evidence that has a correct variant's counts (gates::measure_latency); its details are the
/// names below.
inline constexpr std::string_view behaviour_kind = "behaviour";

/// Axes of an archive: "pipe", the busiest unit; "sectors", 32-byte sectors of global memory, in powers of
/// two; "conflicts", wavefronts of shared memory an access, in powers of two; "occupancy", warps of a
/// multiprocessor, in powers of two; "instructions", in powers of two; "registers" in steps of 16;
/// "shared_memory", static, in powers of two.
[[nodiscard]] const std::vector<std::string>& archive_axes();

}  // namespace evo::model
