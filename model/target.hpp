// Limits and rates of a GPU model. Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", and the vendor's datasheets; the figures of a profile stand in target.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::model {

struct TargetProfile {
  std::string name;  ///< "l4", "h200", "a100", ...
  int compute_major = 0;
  int compute_minor = 0;
  std::string arch;  ///< what NVRTC takes: "sm_89", "sm_90a"
  int sm_count = 0;
  double clock_ghz = 0;
  std::int64_t smem_per_block_optin = 0;  ///< bytes
  std::int64_t smem_per_sm = 0;           ///< bytes
  std::int64_t smem_reserved_per_block = 1024;
  int max_threads_per_block = 1024;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  int registers_per_sm = 65536;
  int max_registers_per_thread = 255;
  double dram_gb_per_s = 0;
  double l2_gb_per_s = 0;
  std::int64_t l2_bytes = 0;
};

[[nodiscard]] const TargetProfile* find_target(std::string_view name);
[[nodiscard]] std::vector<std::string> target_names();

}  // namespace evo::model
