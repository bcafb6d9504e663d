// Limits and rates of a GPU model. The figures are data: targets/*.yaml, read by config/targets.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evo::model {

struct TargetProfile {
  std::string name;  ///< "l4", "h200", "a100", ...
  std::string description{};
  /// What devices of this model call themselves, as whole words: "RTX 4090" of "NVIDIA GeForce RTX 4090".
  std::vector<std::string> device_names{};
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
  /// Dense FP16 operations of an SM's tensor cores in one cycle (2 a fused multiply-add); 0: not known.
  double tensor_flops_per_cycle = 0;

  bool operator==(const TargetProfile&) const = default;
};

/// The target of a verb that was given none.
inline constexpr std::string_view default_target = "l4";

/// nullptr when none of `targets` has this name.
[[nodiscard]] const TargetProfile* find_target(const std::vector<TargetProfile>& targets,
                                               std::string_view name);
/// In the list's order.
[[nodiscard]] std::vector<std::string> target_names(const std::vector<TargetProfile>& targets);

}  // namespace evo::model
