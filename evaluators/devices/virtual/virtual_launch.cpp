// VirtualDevice: running a launch, and settling suspicions.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/coverage.hpp"
#include "evaluators/devices/virtual/exact/machine.hpp"
#include "evaluators/devices/virtual/ptx/loops.hpp"
#include "evaluators/devices/virtual/virtual_device_parts.hpp"

namespace evo::evaluators::devices {
namespace {

/// The exact machine is slow; where the warp machine has already spent the whole budget, this much shows who
/// waits where.
constexpr std::uint64_t hang_replay_budget = std::uint64_t{1} << 24;

vd::FindingKind kind_of(vd::warp::FaultKind kind) {
  switch (kind) {
    case vd::warp::FaultKind::wrong_texture:
      return vd::FindingKind::wrong_texture;
    case vd::warp::FaultKind::wrong_tensor_map:
      return vd::FindingKind::wrong_tensor_map;
    case vd::warp::FaultKind::out_of_bounds:
      return vd::FindingKind::out_of_bounds;
    case vd::warp::FaultKind::misaligned:
      return vd::FindingKind::misaligned;
    case vd::warp::FaultKind::input_written:
      return vd::FindingKind::input_written;
    case vd::warp::FaultKind::gap_written:
      return vd::FindingKind::gap_written;
    case vd::warp::FaultKind::hang:
      return vd::FindingKind::hang;
    case vd::warp::FaultKind::trap:
      return vd::FindingKind::trap;
    case vd::warp::FaultKind::assert_failed:
      return vd::FindingKind::assertion;
    case vd::warp::FaultKind::unsupported:
      return vd::FindingKind::unsupported;
  }
  return vd::FindingKind::unsupported;
}

/// Does no way lead from the instruction to the program's end?
bool never_ends(const vd::Program& program, std::uint32_t instruction) {
  const std::vector<bool> endless = vd::ptx::endless_blocks(program);
  const auto after = std::ranges::upper_bound(program.block_starts, instruction);
  const auto block = static_cast<std::size_t>(after - program.block_starts.begin());
  return block > 0 && block <= endless.size() && endless[block - 1];
}

vd::Finding finding_of(const vd::Launch& launch, const vd::warp::Fault& fault) {
  vd::Finding finding;
  finding.kind = kind_of(fault.kind);
  finding.here = {fault.block, fault.thread, fault.instruction};
  const vd::Opcode op = launch.program->code.at(fault.instruction).op;
  finding.access = op == vd::Opcode::atom || op == vd::Opcode::red ? vd::AccessKind::atomic
                   : fault.write                                   ? vd::AccessKind::write
                                                                   : vd::AccessKind::read;
  finding.space = fault.space;
  finding.address = fault.address;
  if (fault.space != vd::Space::global && fault.address >= vd::slot_bytes) {
    finding.address = vd::from_generic(fault.space, fault.address);
  }
  finding.width = fault.width;
  if (fault.lane_stride != 0) finding.lane_stride = fault.lane_stride;
  finding.count = fault.count;
  finding.text = fault.text;
  const std::string where = fmt::format("{} at {}", vd::place_text(launch, finding.here),
                                        vd::line_text(*launch.program, fault.instruction));
  if (fault.kind == vd::warp::FaultKind::hang) {
    finding.endless = never_ends(*launch.program, fault.instruction);
    finding.text = finding.endless
                       ? fmt::format("Hang: no way leads out of the loop that {} is in", where)
                       : fmt::format(
                             "Hang: the launch has spent its budget of {} thread instructions, or all its "
                             "threads wait for ever; {} is among them",
                             launch.instruction_budget, where);
  }
  if (fault.kind == vd::warp::FaultKind::assert_failed)
    finding.text = fmt::format("{}: assertion failed", where);
  return finding;
}

model::Failure failure_of(const vd::Launch& launch, const std::vector<vd::warp::Fault>& faults) {
  std::vector<vd::Finding> findings;
  for (const vd::warp::Fault& fault : faults) findings.push_back(finding_of(launch, fault));
  return vd::to_failure(launch, findings);
}

/// The block of all launches, if there is one.
std::optional<std::array<std::uint32_t, 3>> block_of(const vd::Launch& launch) {
  return launch.same_block ? std::optional(launch.block) : std::nullopt;
}

LaunchReport report_of(const vd::Launch& launch, const vd::warp::WarpRun& run) {
  LaunchReport report;
  report.thread_instructions = run.thread_instructions;
  report.dynamic_smem_touched = run.dynamic_smem_touched;
  report.counts = run.counts;
  report.lines = run.lines;
  report.blocks_independent = run.independent;
  report.idle_blocks = run.idle_blocks;
  if (launch.coverage)
    report.unexecuted = vd::unexecuted(*launch.program, run.executed_blocks, launch.ranges, block_of(launch));
  return report;
}

/// Contents of the buffers before a launch, to run it again. Kept of what the launch changes only: inputs,
/// which are large, it mostly leaves alone.
class Before {
 public:
  explicit Before(const std::vector<vd::Buffer*>& buffers) {
    for (vd::Buffer* buffer : buffers) kept_.push_back({buffer, {}});
    for (Kept& kept : kept_) {
      if (kept.buffer->is_pristine()) kept.contents = kept.buffer->snapshot();
    }
  }
  /// See vd::warp::RunOptions::before_write.
  void keep(const vd::Region& region) {
    for (Kept& kept : kept_) {
      if (kept.buffer->slot() == region.slot && !kept.contents) kept.contents = kept.buffer->snapshot();
    }
  }
  void restore() const {
    for (const Kept& kept : kept_) {
      if (kept.contents) kept.buffer->restore(*kept.contents);
    }
  }

 private:
  struct Kept {
    vd::Buffer* buffer;
    std::optional<vd::Buffer::Snapshot> contents;
  };
  std::vector<Kept> kept_;
};

/// What a sample that needs the other blocks found may only come from their absence.
bool needs_the_others(const vd::Launch& launch, bool independent) {
  return launch.sampled() && !independent;
}

bool has_hang(const vd::warp::WarpRun& run) {
  return std::any_of(run.faults.begin(), run.faults.end(),
                     [](const vd::warp::Fault& fault) { return fault.kind == vd::warp::FaultKind::hang; });
}

/// Are there suspicions of races in shared memory only, which the finer filter may not share?
bool only_shared_races(const vd::warp::WarpRun& run) {
  return run.faults.empty() &&
         std::all_of(run.suspicions.begin(), run.suspicions.end(), [](const auto& suspicion) {
           return suspicion.kind == vd::warp::SuspicionKind::race_shared;
         });
}

}  // namespace

Outcome<LaunchReport> VirtualDevice::run_exact(const Prepared& prepared) {
  Module& module = *prepared.module;
  if (module.exact_code == nullptr) module.exact_code = vd::exact::prepared(*module.program);
  vd::exact::ExactRun run = vd::exact::run(prepared.launch, module.exact_code.get());
  for (vd::Buffer* buffer : prepared.buffers) buffer->refresh();
  if (!run.clean() && !needs_the_others(prepared.launch, run.independent)) {
    return tl::unexpected(vd::to_failure(prepared.launch, run.findings));
  }
  LaunchReport report;
  report.blocks_independent = run.independent;
  report.idle_blocks = run.idle_blocks;
  report.thread_instructions = run.thread_instructions;
  report.dynamic_smem_touched = run.dynamic_smem_touched;
  report.counts.thread_instructions = run.thread_instructions;
  if (prepared.launch.coverage)
    report.unexecuted = vd::unexecuted(*prepared.launch.program, run.executed_blocks, prepared.launch.ranges,
                                       block_of(prepared.launch));
  return report;
}

Outcome<LaunchReport> VirtualDevice::run_unchecked(const Prepared& prepared) {
  vd::warp::RunOptions options;
  options.checked = false;
  const vd::warp::WarpRun run = prepared.module->machine->run(prepared.launch, options);
  for (vd::Buffer* buffer : prepared.buffers) buffer->refresh();
  if (!run.faults.empty()) return tl::unexpected(failure_of(prepared.launch, run.faults));
  return report_of(prepared.launch, run);
}

Outcome<LaunchReport> VirtualDevice::run_filtered(const Prepared& prepared) {
  Before before(prepared.buffers);
  const auto restore = [&] {
    before.restore();
    for (const vd::Buffer* buffer : prepared.buffers) prepared.memory->map(buffer->region(), buffer->name());
  };
  vd::warp::RunOptions options;
  options.before_write = [&before](const vd::Region& region) { before.keep(region); };
  options.expects_constant_data = !prepared.module->writes_data;
  vd::warp::WarpRun run = prepared.module->machine->run(prepared.launch, options);
  if (run.wrote_data) {
    prepared.module->writes_data = true;
    options.expects_constant_data = false;
    restore();
    run = prepared.module->machine->run(prepared.launch, options);
  }
  if (run.suspicious() && only_shared_races(run) && !needs_the_others(prepared.launch, run.independent)) {
    // The finer filter is slower, but far cheaper than an exact run.
    restore();
    options.races = vd::warp::RaceFilter::precise;
    run = prepared.module->machine->run(prepared.launch, options);
  }
  if (run.clean() || needs_the_others(prepared.launch, run.independent)) {
    for (vd::Buffer* buffer : prepared.buffers) buffer->refresh();
    return report_of(prepared.launch, run);
  }
  restore();
  Prepared again = Prepared{prepared.module, prepared.buffers, nullptr, {}, {}, prepared.launch, {}};
  if (has_hang(run)) {
    again.launch.instruction_budget = std::min(again.launch.instruction_budget, hang_replay_budget);
  }
  Outcome<LaunchReport> verdict = run_exact(again);
  if (!verdict || needs_the_others(prepared.launch, verdict->blocks_independent)) return verdict;
  // A fault is a fault, even if it took the other machine's schedule to show.
  if (!run.faults.empty()) return tl::unexpected(failure_of(prepared.launch, run.faults));
  return report_of(prepared.launch, run);
}

Outcome<LaunchReport> VirtualDevice::run_one(const Prepared& prepared, CheckLevel checks) {
  switch (checks) {
    case CheckLevel::none:
      return run_unchecked(prepared);
    case CheckLevel::filtered:
      if (prepared.module->only_exact) break;
      return run_filtered(prepared);
    case CheckLevel::exact:
      break;
  }
  return run_exact(prepared);
}

}  // namespace evo::evaluators::devices
