#include "model/target.hpp"

#include <algorithm>
#include <array>

namespace evo::model {
namespace {

TargetProfile profile(std::string name, int major, int minor, std::string arch, int sms, double ghz) {
  TargetProfile p;
  p.name = std::move(name);
  p.compute_major = major;
  p.compute_minor = minor;
  p.arch = std::move(arch);
  p.sm_count = sms;
  p.clock_ghz = ghz;
  return p;
}

// Shared memory and occupancy per compute capability: CUDA C++ Programming Guide 13.0, table "Technical
// Specifications per Compute Capability". Clocks (boost), memory rates and L2 sizes: NVIDIA's datasheets; L2
// bandwidth is not published, the figures are the common microbenchmark readings and serve the latency model
// only.
TargetProfile ampere_a100() {
  TargetProfile p = profile("a100", 8, 0, "sm_80", 108, 1.41);
  p.smem_per_block_optin = 163 * 1024;
  p.smem_per_sm = 164 * 1024;
  p.max_warps_per_sm = 64;
  p.max_blocks_per_sm = 32;
  p.dram_gb_per_s = 1555;
  p.l2_gb_per_s = 4000;
  p.l2_bytes = 40LL << 20;
  return p;
}

TargetProfile ada(std::string name, int sms, double ghz, double dram, double l2_rate, std::int64_t l2_bytes) {
  TargetProfile p = profile(std::move(name), 8, 9, "sm_89", sms, ghz);
  p.smem_per_block_optin = 99 * 1024;
  p.smem_per_sm = 100 * 1024;
  p.max_warps_per_sm = 48;
  p.max_blocks_per_sm = 24;
  p.dram_gb_per_s = dram;
  p.l2_gb_per_s = l2_rate;
  p.l2_bytes = l2_bytes;
  return p;
}

TargetProfile hopper(std::string name, int sms, double ghz, double dram, std::int64_t l2_bytes) {
  TargetProfile p = profile(std::move(name), 9, 0, "sm_90a", sms, ghz);
  p.smem_per_block_optin = 227 * 1024;
  p.smem_per_sm = 228 * 1024;
  p.max_warps_per_sm = 64;
  p.max_blocks_per_sm = 32;
  p.dram_gb_per_s = dram;
  p.l2_gb_per_s = 5500;
  p.l2_bytes = l2_bytes;
  return p;
}

const std::array<TargetProfile, 6>& profiles() {
  static const std::array<TargetProfile, 6> all{
      ada("l4", 58, 2.04, 300, 1500, 48LL << 20),        ada("l40s", 142, 2.52, 864, 4000, 96LL << 20),
      ada("rtx4090", 128, 2.52, 1008, 4000, 72LL << 20), ampere_a100(),
      hopper("h100", 132, 1.98, 3350, 50LL << 20),       hopper("h200", 132, 1.98, 4800, 60LL << 20)};
  return all;
}

}  // namespace

const TargetProfile* find_target(std::string_view name) {
  const auto found =
      std::find_if(profiles().begin(), profiles().end(), [&](const auto& p) { return p.name == name; });
  return found == profiles().end() ? nullptr : &*found;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const TargetProfile& p : profiles()) names.push_back(p.name);
  return names;
}

}  // namespace evo::model
