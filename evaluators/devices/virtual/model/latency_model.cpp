#include "evaluators/devices/virtual/model/latency_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluators/devices/virtual/model/pipe_rates.hpp"

namespace evo::evaluators::virtual_device {
namespace {

using Parts = std::vector<std::pair<std::string, double>>;

constexpr double threads_per_warp = 32;
constexpr double sector_bytes = 32;
constexpr double line_bytes = 128;
// ptxas tells spills in bytes of code, not how often they run. They are taken to stand in the main loop, and
// a loop's body to have this many instructions.
constexpr double instructions_per_trip = 1000;

double number(std::uint64_t value) {
  return static_cast<double>(value);
}

/// The counts, plus what the compiler added: warp accesses to local memory.
struct Work {
  const devices::LaunchCounts& counts;
  double warps = 1;
  double local = 0;
};

Work work_of(const devices::LaunchCounts& counts, const model::ResourceUsage& resources,
             const model::LaunchPlan& plan) {
  Work work{counts};
  const double threads = number(count_of(plan.block));
  work.warps = std::max(1.0, std::ceil(threads / threads_per_warp) * number(count_of(plan.grid)));
  // Without a stack ptxas has put every local array into registers.
  if (resources.stack_bytes > 0) work.local = number(counts.local_accesses);
  const double spilled_words = (resources.spill_load_bytes + resources.spill_store_bytes) / 4.0;
  const double trips = std::max(1.0, number(counts.warp_instructions) / work.warps / instructions_per_trip);
  work.local += spilled_words * trips * work.warps;
  return work;
}

/// Cycles of each unit of one SM if it did everything.
Parts pipe_cycles(const Work& work, const PipeRates& rates, const Fitted& fitted) {
  const devices::LaunchCounts& c = work.counts;
  const double wavefronts = number(std::max(c.shared_wavefronts, c.shared_accesses));
  const double lines =
      std::max(number(c.global_accesses), number(c.global_sectors) * sector_bytes / line_bytes);
  return {
      {"issue", (number(c.warp_instructions) + work.local) / rates.issue},
      {"fp32", number(c.fp32) / rates.fp32},
      {"fp64", number(c.fp64) / rates.fp64},
      {"fp16", number(c.fp16) / rates.fp16},
      {"integer", number(c.integer) * fitted.per_integer / rates.integer},
      {"conversion", number(c.conversion) / rates.conversion},
      {"special", number(c.special) / rates.special},
      {"tensor", number(c.tensor) / rates.tensor},
      {"load_store",
       (wavefronts + lines + work.local + number(c.shuffles)) / (rates.load_store * fitted.load_store) +
           number(c.atomics) / rates.atomic},
      {"l2_port", number(c.global_sectors) * sector_bytes / rates.l2_bytes_per_cycle},
  };
}

/// Bytes that L2 has to fetch: each byte once, and what does not fit again and again.
double dram_bytes(const devices::LaunchCounts& counts, const model::TargetProfile& target) {
  const double footprint = number(counts.unique_global_bytes);
  const double traffic = std::max(footprint, number(counts.global_sectors) * sector_bytes);
  const double cache = static_cast<double>(target.l2_bytes);
  if (footprint <= cache) return footprint;
  return footprint + (traffic - footprint) * (1 - cache / footprint);
}

/// Cycles that the warps of an SM stand still in `waves` rounds. `out_of_cache`: the share of its global
/// accesses that go on to DRAM.
double stall_cycles(const Work& work, double waves, double out_of_cache) {
  const devices::LaunchCounts& c = work.counts;
  const StallCycles stall;
  // Every named kind costs at least what an unnamed instruction does; so no instruction is free, and a
  // busiest warp is never faster than the mean one.
  // A copy that is asynchronous is not waited for where it is issued, but once for all where the last is
  // waited for.
  const double shared = number(c.shared_accesses - std::min(c.async_copies, c.shared_accesses));
  const double global = number(c.global_accesses - std::min(c.async_copies, c.global_accesses));
  const double conflicts =
      number(c.shared_wavefronts - std::min(c.shared_accesses, c.shared_wavefronts)) * stall.bank_conflict;
  const double named = number(c.fp64 + c.control + c.conversion + c.special + c.tensor + c.shuffles +
                              c.atomics + c.barriers + c.async_waits) +
                       shared + global + work.local;
  const double plain = std::max(0.0, number(c.warp_instructions) + work.local - named);
  const double total = plain * stall.arithmetic + number(c.fp64) * stall.fp64 +
                       number(c.control) * stall.control + number(c.conversion) * stall.conversion +
                       number(c.special) * stall.special + number(c.tensor) * stall.tensor +
                       shared * stall.shared + conflicts + number(c.shuffles) * stall.shuffle +
                       work.local * stall.local + global * (stall.l2 + out_of_cache * stall.dram_extra) +
                       number(c.async_waits) * stall.async_wait + number(c.atomics) * stall.atomic +
                       number(c.barriers) * stall.barrier;
  // The busiest warp stands behind the mean one once, whatever the rounds.
  const double excess =
      std::max(0.0, number(c.longest_warp_instructions) * work.warps - number(c.warp_instructions));
  return (waves * total + excess * stall.arithmetic) / work.warps;
}

}  // namespace

ModelledLatency model_latency(const devices::LaunchCounts& counts, const model::ResourceUsage& resources,
                              const model::LaunchPlan& plan, const model::TargetProfile& target) {
  ModelledLatency result;
  result.occupancy = occupancy_of(resources, plan, target);
  if (result.occupancy.blocks_per_sm == 0) {
    result.microseconds = std::numeric_limits<double>::infinity();
    result.bottleneck = "does_not_fit";
    return result;
  }
  const double blocks = std::max(1.0, number(count_of(plan.grid)));
  const double blocks_of_busiest = std::ceil(blocks / target.sm_count);
  result.waves = std::ceil(blocks_of_busiest / result.occupancy.blocks_per_sm);

  const double cycles_per_microsecond = target.clock_ghz * 1e3;
  const Work work = work_of(counts, resources, plan);
  const Fitted fitted;
  double pipes = 0;
  for (const auto& [name, cycles] :
       pipe_cycles(work, pipe_rates(target.compute_major, target.compute_minor), fitted)) {
    result.parts.emplace_back(name, cycles * (blocks_of_busiest / blocks) / cycles_per_microsecond);
    pipes = std::max(pipes, result.parts.back().second);
  }
  const double from_dram = dram_bytes(counts, target);
  const double out_of_cache =
      std::min(1.0, number(counts.unique_global_bytes) /
                        static_cast<double>(std::max<std::int64_t>(target.l2_bytes, 1)));
  const double stalls = stall_cycles(work, result.waves, out_of_cache) / cycles_per_microsecond;
  result.parts.emplace_back("latency", stalls);
  constexpr double bytes_per_microsecond = 1e3;  // of 1 GB/s
  const double l2 =
      number(counts.global_sectors) * sector_bytes / (target.l2_gb_per_s * bytes_per_microsecond);
  const double dram = from_dram / (target.dram_gb_per_s * bytes_per_microsecond);
  result.parts.emplace_back("l2", l2);
  result.parts.emplace_back("dram", dram);
  result.parts.emplace_back("launch", fitted.launch);

  const double sm =
      std::pow(std::pow(pipes, fitted.overlap) + std::pow(stalls, fitted.overlap), 1 / fitted.overlap);
  result.microseconds = std::max({sm, l2, dram}) + fitted.launch;
  result.bottleneck =
      std::max_element(result.parts.begin(), result.parts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  return result;
}

}  // namespace evo::evaluators::virtual_device
