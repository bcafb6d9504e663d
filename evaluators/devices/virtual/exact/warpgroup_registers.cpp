// Registers that wgmma uses (PTX ISA, wgmma.fence and wgmma.wait_group). Until its group was waited for, the
// sums of a wgmma may not be read, and neither they nor an A in registers written; other wgmmas of the same
// shape may go on adding. What was computed needs a wgmma.fence before a wgmma takes it, and the first one of
// a warp needs one in any case.
//
// A mov is no access: compilers give values new names anywhere, also between a fence and a wgmma, or from a
// trip of a loop to the next while sums are under way; ptxas takes the names away again. So a copy of a sum
// under way is one as well, and a value that was computed before a fence stays so.
#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"

namespace evo::evaluators::virtual_device::exact {

void Block::report_register(const Thread& thread, std::uint32_t followed, std::uint32_t number,
                            std::string_view use) {
  Finding finding;
  finding.kind = FindingKind::async_not_waited;
  finding.here = site(thread);
  finding.other = finding.here;
  finding.other->instruction = warpgroups_[thread.warp() / warps_of_group].issued[number - 1].instruction;
  finding.variable = code_.program->register_names[code_.followed[followed]];
  finding.text = fmt::format(
      "Matrix not waited for: {} {} register {} at {} while the wgmma that uses it ({}) may be in flight; "
      "its "
      "group has to be committed and waited for first (wgmma.commit_group, wgmma.wait_group)",
      place_text(launch_, finding.here), use, finding.variable, line_text(*code_.program, thread.pc),
      line_text(*code_.program, finding.other->instruction));
  log_.add(finding);
}

void Block::report_fence(const Thread& thread, std::uint32_t followed, std::string_view why) {
  Finding finding;
  finding.kind = FindingKind::wgmma_fence;
  finding.here = site(thread);
  if (followed != RegisterUse::none)
    finding.variable = code_.program->register_names[code_.followed[followed]];
  finding.text =
      fmt::format("wgmma without a fence: {} executes {}, and {}{}; wgmma.fence has to stand between",
                  place_text(launch_, finding.here), line_text(*code_.program, thread.pc),
                  finding.variable.empty() ? "" : "register " + finding.variable + " ", why);
  log_.add(finding);
}

void Block::follow_registers(Thread& thread, const Step& step) {
  const RegisterUse& use = code_.uses[step.uses - 1];
  const WarpOfGroup& warp = warps_of_groups_[thread.warp()];
  FollowedRegister* const registers = &followed_[thread.index * code_.followed.size()];
  FollowedRegister value;
  if (use.renames) {
    if (use.from != RegisterUse::none) value = registers[use.from];
  } else {
    value.written = warp.fences + 1;
    for (const std::uint32_t reg : use.reads) {
      if (registers[reg].sum_of > warp.ended) report_register(thread, reg, registers[reg].sum_of, "reads");
    }
  }
  for (const std::uint32_t reg : use.writes) {
    const bool same = value.sum_of != 0 && value.sum_of == registers[reg].sum_of;
    // Who copies a sum that is under way gives it another name: compilers do, where they did not keep it in
    // one place.
    const bool moves_sum = use.renames && value.sum_of > warp.ended;
    const std::uint32_t last = std::max(moves_sum ? 0 : warp.sums[reg], warp.factors[reg]);
    if (last > warp.ended && !same) report_register(thread, reg, last, "writes");
    registers[reg] = value;
  }
}

/// Of a warp that is about to multiply.
void Block::check_registers(std::uint32_t warp, const Step& step) {
  const WarpgroupStep& wgmma = code_.warpgroups[step.matrix];
  const WarpOfGroup& own = warps_of_groups_[warp];
  const std::vector<IssuedWgmma>& issued = warpgroups_[warp / warps_of_group].issued;
  const WarpgroupForm& form = step.instruction->warpgroup;
  const Type sums = step.instruction->matrix.d;
  // Sums of one shape go on without a fence, those of another need one.
  const auto continues = [&](std::uint32_t number) {
    const IssuedWgmma& before = issued[number - 1];
    const Instruction& other = *code_.steps[before.instruction].instruction;
    const bool same = other.warpgroup.n == form.n && other.warpgroup.k == form.k && other.matrix.d == sums;
    return same || before.fences[warp % warps_of_group] < own.fences;
  };
  for_each_lane(living_[warp], [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    if (own.fences == 0) report_fence(thread, RegisterUse::none, "its warp has executed no wgmma.fence yet");
    const FollowedRegister* const registers = &followed_[thread.index * code_.followed.size()];
    const auto fenced = [&](std::uint32_t reg) {
      if (registers[reg].written == own.fences + 1 && own.fences != 0)
        report_fence(thread, reg, "was written since the last one");
    };
    for (const std::uint32_t reg : wgmma.d_followed) {
      fenced(reg);
      if (registers[reg].sum_of > own.ended && !continues(registers[reg].sum_of))
        report_fence(thread, reg, "is still added to by a wgmma of another shape");
      if (own.factors[reg] > own.ended) report_register(thread, reg, own.factors[reg], "writes");
    }
    for (const std::uint32_t reg : wgmma.a_followed) {
      if (reg == RegisterUse::none) continue;
      fenced(reg);
      if (registers[reg].sum_of > own.ended) report_register(thread, reg, registers[reg].sum_of, "reads");
    }
  });
}

}  // namespace evo::evaluators::virtual_device::exact
