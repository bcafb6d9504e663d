// wgmma (PTX ISA, "Asynchronous warpgroup-level matrix multiply-accumulate"). The four warps of a warpgroup
// multiply when all have come. The sums are there at once; that nobody looks at them, or changes what is
// multiplied, before it has waited is what the checks are for: warpgroup_registers.cpp those of registers,
// warpgroup_memory.cpp those of shared memory.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"
#include "evaluators/devices/virtual/semantics/shared_matrix.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

constexpr unsigned rows_of_warp = 16;

/// Where an accumulator register of a lane stands in the warp's 16 rows; `elements` columns from `column` on.
struct SumPlace {
  unsigned row, column, elements;
};
SumPlace place_of_sum(unsigned reg, unsigned lane, bool halves) {
  const unsigned per_group = halves ? 2 : 4;
  const unsigned in_group = reg % per_group;
  const unsigned column = reg / per_group * 8 + lane % 4 * 2;
  if (halves) return {in_group * 8 + lane / 4, column, 2};
  return {in_group / 2 * 8 + lane / 4, column + in_group % 2, 1};
}

}  // namespace

/// `warp` stands at a wgmma as one. False: it waits for others of its group.
bool Block::reach_wgmma(std::uint32_t warp, const Step& step) {
  const std::uint32_t first = warp / warps_of_group * warps_of_group;
  const std::uint32_t end = std::min(first + warps_of_group, warps_);
  for (std::uint32_t w = first; w < end; ++w) {
    bool here = living_[w] != 0;
    for_each_lane(living_[w], [&](std::uint32_t lane) {
      const Thread& thread = lane_of(w, lane);
      here &= thread.state == State::at_warp_op && code_.steps[thread.pc].instruction == step.instruction;
    });
    if (!here) return false;
  }
  std::uint32_t threads = 0;
  for (std::uint32_t w = first; w < end; ++w) {
    threads += static_cast<std::uint32_t>(std::popcount(lanes_in(w)));
    check_left_lanes(w, lane_of(w, static_cast<std::uint32_t>(std::countr_zero(living_[w]))));
  }
  if (threads != 32 * warps_of_group) {
    const Thread& leader = lane_of(first, static_cast<std::uint32_t>(std::countr_zero(living_[first])));
    report_mask(leader, fmt::format("Matrix operation of an incomplete warpgroup: {} executes {}, but its "
                                    "warpgroup has {} threads where all 128 have to take part",
                                    place_text(launch_, site(leader)), line_text(*code_.program, leader.pc),
                                    threads));
  }
  check_operands_agree(first, end, step);
  issue_wgmma(first, end, step);
  for (std::uint32_t w = first; w < end; ++w) {
    for_each_lane(living_[w], [&](std::uint32_t lane) {
      Thread& thread = lane_of(w, lane);
      note_arrival(thread, living_[w], thread.mask);
      thread.state = State::ready;
      ++thread.pc;
    });
    ready_[w] |= living_[w];
  }
  ++progress_;
  return true;
}

/// Descriptors and scale-d are the warpgroup's, not a thread's.
void Block::check_operands_agree(std::uint32_t first, std::uint32_t end, const Step& step) {
  const Thread& leader = lane_of(first, static_cast<std::uint32_t>(std::countr_zero(living_[first])));
  if (leader.tainted && leader.poison[step.src[2]] != 0)
    report_uninitialized(leader, leader.poison[step.src[2]], "decides whether a matrix is added to");
  for (std::uint32_t w = first; w < end; ++w) {
    const Thread* other = nullptr;
    for_each_lane(living_[w], [&](std::uint32_t lane) {
      const Thread& thread = lane_of(w, lane);
      const auto differs = [&](unsigned operand) {
        return source(thread, step, operand) != source(leader, step, operand);
      };
      if (differs(0) || differs(1) || (differs(2))) other = &thread;
    });
    if (other == nullptr) continue;
    report_mask(*other,
                fmt::format("Operands of a warpgroup differ: {} and {} execute {} with different matrix "
                            "descriptors or another scale-d, which all 128 threads have to agree on",
                            place_text(launch_, site(leader)), place_text(launch_, site(*other)),
                            line_text(*code_.program, leader.pc)),
                &leader);
    return;
  }
}

void Block::issue_wgmma(std::uint32_t first, std::uint32_t end, const Step& step) {
  const WarpgroupForm& form = step.instruction->warpgroup;
  Warpgroup& group = warpgroups_[first / warps_of_group];
  const auto leader_of = [&](std::uint32_t warp) -> Thread& {
    return lane_of(warp, static_cast<std::uint32_t>(std::countr_zero(living_[warp])));
  };
  for (std::uint32_t w = first; w < end; ++w) check_registers(w, step);
  IssuedWgmma issued;
  issued.instruction = leader_of(first).pc;
  for (std::uint32_t w = first; w < end; ++w) issued.fences[w - first] = warps_of_groups_[w].fences;
  group.issued.push_back(issued);
  const auto number = static_cast<std::uint32_t>(group.issued.size());

  const bool adds = (source(leader_of(first), step, 2) & 1) != 0;
  MatrixTiles of_b;
  // Each warp reads all of B, and has to know what was written there.
  for (std::uint32_t w = first; w < end; ++w)
    gather(leader_of(w), step, 1, 0, semantics::pieces_of(form.n), of_b);
  for (std::uint32_t w = first; w < end; ++w) {
    if (form.a_in_registers) {
      multiply_rows(w, step, nullptr, of_b, adds, number);
      continue;
    }
    MatrixTiles of_a;
    const unsigned pieces = semantics::pieces_of(rows_of_warp);
    gather(leader_of(w), step, 0, w % warps_of_group * pieces, pieces, of_a);
    multiply_rows(w, step, &of_a, of_b, adds, number);
  }
}

void Block::multiply_rows(std::uint32_t warp, const Step& step, const MatrixTiles* of_a,
                          const MatrixTiles& of_b, bool adds, std::uint32_t number) {
  const WarpgroupStep& wgmma = code_.warpgroups[step.matrix];
  const std::uint32_t lanes = living_[warp];
  alignas(64) std::uint32_t a[semantics::tiles_of_a][32] = {};
  alignas(64) std::uint32_t d[semantics::most_accumulators][32] = {};
  std::array<std::uint32_t, rows_of_warp> poison_of_a{};
  bool poisoned = of_b.poisoned || (of_a != nullptr && of_a->poisoned);
  bool tainted = false;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    tainted |= thread.tainted;
    for (std::size_t k = 0; k < wgmma.a.size(); ++k) {
      a[k][lane] = static_cast<std::uint32_t>(thread.frame[wgmma.a[k]]);
      const std::uint32_t poison = thread.tainted ? thread.poison[wgmma.a[k]] : 0;
      if (poison == 0) continue;
      poison_of_a[k % 2 * 8 + lane / 4] = poison;
      poisoned = true;
    }
    for (std::size_t k = 0; adds && k < wgmma.d.size(); ++k)
      d[k][lane] = static_cast<std::uint32_t>(thread.frame[wgmma.d[k]]);
  });
  if (of_a != nullptr) std::copy_n(of_a->poison.begin(), rows_of_warp, poison_of_a.begin());

  semantics::WarpgroupOperands operands;
  for (unsigned t = 0; t < semantics::tiles_of_a; ++t) {
    const unsigned tile = t % 2 * 2 + t / 2;
    operands.a[t] = of_a != nullptr ? of_a->bytes + tile * semantics::tile_size
                                    : reinterpret_cast<const std::byte*>(a[t]);
  }
  std::array<std::byte*, semantics::most_accumulators> sums{};
  for (std::size_t k = 0; k < wgmma.d.size(); ++k) sums[k] = reinterpret_cast<std::byte*>(d[k]);
  operands.b = of_b.bytes;
  operands.d = sums.data();
  operands.adds = adds;
  wgmma.multiply(operands);

  WarpOfGroup& own = warps_of_groups_[warp];
  for (const std::uint32_t followed : wgmma.d_followed) own.sums[followed] = number;
  for (const std::uint32_t followed : wgmma.a_followed) {
    if (followed != RegisterUse::none) own.factors[followed] = number;
  }
  const bool halves = step.instruction->matrix.d == Type::f16;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    FollowedRegister* const registers = &followed_[thread.index * code_.followed.size()];
    for (std::size_t k = 0; k < wgmma.d.size(); ++k) {
      registers[wgmma.d_followed[k]] = {number, 0};
      if (!poisoned && !tainted) {
        thread.frame[wgmma.d[k]] = d[k][lane];
        if (thread.depends != nullptr) thread.depends[wgmma.d[k]] = 0;
        continue;
      }
      std::uint32_t poison = adds && thread.tainted ? thread.poison[wgmma.d[k]] : 0;
      const SumPlace sum = place_of_sum(static_cast<unsigned>(k), lane, halves);
      if (poison == 0) poison = poison_of_a[sum.row];
      for (unsigned e = 0; poison == 0 && e < sum.elements; ++e) poison = of_b.poison[sum.column + e];
      set_register(thread, wgmma.d[k], d[k][lane], poison);
    }
  });
}

/// wgmma.fence, commit_group and wait_group of one warp.
void Block::order_wgmma(std::uint32_t warp, const Step& step) {
  if (warpgroups_.empty()) return;
  WarpOfGroup& own = warps_of_groups_[warp];
  switch (step.instruction->op) {
    case Opcode::wgmma_fence:
      ++own.fences;
      return;
    case Opcode::wgmma_commit:
      own.committed.push_back(static_cast<std::uint32_t>(warpgroups_[warp / warps_of_group].issued.size()));
      return;
    case Opcode::wgmma_wait:
      break;
    default:
      return;
  }
  const std::uint64_t kept = step.instruction->immediate;
  if (own.committed.size() <= kept) return;
  const std::uint32_t until = own.committed[own.committed.size() - 1 - kept];
  if (until <= own.ended) return;
  own.ended = until;
  GroupWait wait;
  wait.until = until;
  wait.epoch = clocks_.epoch();
  for_each_lane(living_[warp],
                [&](std::uint32_t lane) { wait.clocks[lane] = clocks_.clock(warp * 32 + lane); });
  own.waits.push_back(wait);
}

}  // namespace evo::evaluators::virtual_device::exact
