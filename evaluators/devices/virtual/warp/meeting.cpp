// Lanes of one warp that execute one operation from different places in the code.
#include "evaluators/devices/virtual/meeting.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;

namespace {

/// Copies a value of the lanes of `mask`, and its poison.
void copy(Warp& warp, std::uint32_t mask, unsigned lane_class, std::uint32_t to, std::uint32_t to_poison,
          std::uint32_t from, std::uint32_t from_poison) {
  switch (lane_class) {
    case 0:
      warp.predicate(to) = (warp.predicate(to) & ~mask) | (warp.predicate(from) & mask);
      break;
    case 8:
      blend<8>(warp.registers + to, warp.registers + from, mask);
      break;
    default:
      blend<4>(warp.registers + to, warp.registers + from, mask);
      break;
  }
  std::uint32_t& poison = warp.poison[to_poison];
  poison = (poison & ~mask) | (warp.poison[from_poison] & mask);
}

/// The operation with its operands in the slots that are set aside for meetings.
Wide in_common(const Meeting& slots, const Wide& wide) {
  Wide common = wide;
  for (unsigned k = 0; k < wide.src_count; ++k) {
    const bool predicate = wide.src_class[k] == 0;
    common.src[k] = predicate ? slots.voter : slots.words[k];
    common.src_poison[k] = predicate ? slots.voter_poison : slots.word_poison[k];
  }
  for (unsigned k = 0; k < wide.dst_count; ++k) {
    const bool predicate = wide.dst_class[k] == 0;
    common.dst[k] = predicate ? slots.verdict : slots.result;
    common.dst_poison[k] = predicate ? slots.verdict_poison : slots.result_poison;
  }
  return common;
}

}  // namespace

const Op* meet_elsewhere(Warp& warp, const Op* op, std::uint32_t members) {
  const std::uint32_t missing = members & warp.live & ~warp.mask;
  if (missing == 0 || warp.fragments.empty()) [[likely]]
    return nullptr;
  const auto waits_here = [&](const Fragment& other) {
    return other.state == FragmentState::at_warp_op && other.detail == members &&
           meets(instruction_of(warp, op), instruction_of(warp, other.op));
  };
  std::uint32_t others = 0;
  bool elsewhere = false;
  for (const Fragment& other : warp.fragments) {
    if (!waits_here(other)) continue;
    others |= other.mask;
    elsewhere |= other.op != op;
  }
  if (!elsewhere || (missing & ~others) != 0) return nullptr;

  const std::uint32_t own = warp.mask;
  const auto for_each_party = [&](auto visit) {
    visit(own, warp.wide[op->extra]);
    for (const Fragment& other : warp.fragments) {
      if (waits_here(other)) visit(other.mask, warp.wide[other.op->extra]);
    }
  };
  // All that any of them asks for.
  const Wide* fullest = &warp.wide[op->extra];
  for_each_party([&](std::uint32_t, const Wide& wide) {
    if (wide.dst_count > fullest->dst_count) fullest = &wide;
  });
  const Wide common = in_common(warp.block->code->meeting, *fullest);
  for_each_party([&](std::uint32_t mask, const Wide& from) {
    for (unsigned k = 0; k < common.src_count; ++k) {
      copy(warp, mask, common.src_class[k], common.src[k], common.src_poison[k], from.src[k],
           from.src_poison[k]);
    }
  });
  Op together = *op;
  together.extra = 0;
  const Wide* const operands = warp.wide;
  warp.wide = &common;
  warp.mask = own | others;
  together.fn(warp, &together);
  warp.wide = operands;
  warp.mask = own;
  for_each_party([&](std::uint32_t mask, const Wide& to) {
    for (unsigned k = 0; k < to.dst_count; ++k) {
      copy(warp, mask, common.dst_class[k], to.dst[k], to.dst_poison[k], common.dst[k], common.dst_poison[k]);
    }
  });
  for (Fragment& other : warp.fragments) {
    if (!waits_here(other)) continue;
    other.state = FragmentState::runnable;
    ++other.op;
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
