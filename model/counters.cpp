#include "model/counters.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/enum_names.hpp"

namespace evo::model {
namespace {

constexpr double us_of_ns = 1e-3;

constexpr auto all_counters = std::to_array<CounterName>({
    {"duration_us", "gpu__time_duration.sum", "time of the launch, us", us_of_ns, true},
    {"cycles", "sm__cycles_elapsed.max", "cycles of the launch"},
    {"instructions", "smsp__inst_executed.sum", "warp instructions", 1, true},
    {"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active", "issue slots, % of peak", 1,
     true},
    {"tensor_percent", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     "tensor pipe, % of peak", 1, true},
    {"tensor_instructions", "sm__inst_executed_pipe_tensor.sum", "warp instructions of the tensor pipe"},
    {"fma_percent", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "FMA pipe, % of peak", 1,
     true},
    {"fma_instructions", "sm__inst_executed_pipe_fma.sum", "warp instructions of the FMA pipe"},
    {"alu_percent", "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", "ALU pipe, % of peak", 1,
     true},
    {"mufu_percent", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
     "XU pipe (MUFU and conversions), % of peak", 1, true},
    {"mufu_instructions", "sm__inst_executed_pipe_xu.sum", "warp instructions of the XU pipe", 1, true},
    {"fp64_percent", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", "FP64 pipe, % of peak",
     1, true},
    {"lsu_percent", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "LSU pipe, % of peak", 1,
     true},
    {"lsu_instructions", "sm__inst_executed_pipe_lsu.sum", "warp instructions of the LSU pipe"},
    {"l1_percent", "l1tex__throughput.avg.pct_of_peak_sustained_active", "L1 and shared memory, % of peak"},
    {"l2_percent", "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2, % of peak", 1, true},
    {"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM, % of peak", 1, true},
    {"l1_hit_percent", "l1tex__t_sector_hit_rate.pct", "L1 sectors that hit, %"},
    {"l2_hit_percent", "lts__t_sector_hit_rate.pct", "L2 sectors that hit, %"},
    {"l1_sectors", "l1tex__t_sectors.sum", "32-byte sectors that L1 was asked for"},
    {"l2_sectors", "lts__t_sectors_srcunit_tex.sum", "32-byte sectors between L1 and L2", 1, true},
    {"dram_bytes", "dram__bytes.sum", "bytes read and written in DRAM", 1, true},
    {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts of shared memory", 1,
     true},
    {"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
     "wavefronts that bank conflicts of shared memory add", 1, true},
    {"occupancy_percent", "sm__warps_active.avg.pct_of_peak_sustained_active",
     "warps that are resident, % of what an SM holds", 1, true},
    {"stall_long_scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
     "waits for global or local memory"},
    {"stall_short_scoreboard", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
     "waits for shared memory or MUFU"},
    {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
     "waits at a barrier"},
    {"stall_wait", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
     "waits a fixed number of cycles for its last instruction"},
    {"stall_math_pipe_throttle",
     "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
     "waits for a busy arithmetic pipe"},
    {"stall_mio_throttle", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
     "waits for the queue of shared memory and MUFU"},
    {"stall_lg_throttle", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
     "waits for the queue of global and local memory"},
    {"stall_tex_throttle", "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
     "waits for the queue of textures"},
    {"stall_gmma", "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "waits for wgmma"},
    {"stall_membar", "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "waits at a fence"},
    {"stall_drain", "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
     "waits for stores at its end"},
    {"stall_branch_resolving", "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
     "waits for a branch"},
    {"stall_no_instruction", "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
     "waits for instructions to be fetched"},
    {"stall_imc_miss", "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
     "waits for constants"},
    {"stall_dispatch", "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
     "waits for the dispatcher"},
    {"stall_sleeping", "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "sleeps"},
    {"stall_not_selected", "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
     "could go, another warp goes first"},
    {"registers", "", "registers a thread", 1, false, true},
    {"spill_bytes", "", "bytes of spill loads and stores in the code", 1, false, true},
    {"static_smem_bytes", "", "static shared memory a block, bytes", 1, false, true},
});

constexpr std::array<std::string_view, 2> basis_names{"measured", "modelled"};

}  // namespace

std::span<const CounterName> counter_names() {
  return all_counters;
}

bool CounterName::is_timed() const {
  constexpr std::array<std::string_view, 4> marks{"time_duration", "cycles_elapsed", "pct_of_peak",
                                                  "per_issue_active"};
  return std::ranges::any_of(marks, [&](auto mark) { return metric.find(mark) != std::string_view::npos; });
}

int launches_to_count(double seconds) {
  constexpr double together = 0.1;  // seconds, of one group of counters
  constexpr int most = 15;
  if (!(seconds > 0)) return 1;
  const int fitting = static_cast<int>(std::min(together / seconds, static_cast<double>(most)));
  return std::max(fitting - (fitting + 1) % 2, 1);
}

const CounterName* find_counter(std::string_view name) {
  const auto* found = std::find_if(all_counters.begin(), all_counters.end(),
                                   [&](const CounterName& counter) { return counter.name == name; });
  return found == all_counters.end() ? nullptr : found;
}

std::string_view name_of(CounterBasis basis) {
  return detail::enum_name(basis_names, basis);
}
std::optional<CounterBasis> counter_basis_from_name(std::string_view name) {
  return detail::enum_from_name<CounterBasis>(basis_names, name);
}

std::optional<double> KernelCounters::find(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t LineSamples::samples() const {
  std::uint64_t all = 0;
  for (const auto& stall : stalls) all += stall.second;
  return all;
}

bool CounterBound::holds(double value) const {
  if (comparison == "<") return value < limit;
  if (comparison == "<=") return value <= limit;
  if (comparison == ">") return value > limit;
  return value >= limit;
}

std::string text_of(const CounterBound& bound) {
  return fmt::format("{} {} {}", bound.counter, bound.comparison, bound.limit);
}

}  // namespace evo::model
