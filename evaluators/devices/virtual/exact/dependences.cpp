#include "evaluators/devices/virtual/exact/dependences.hpp"

#include <algorithm>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"

namespace evo::evaluators::virtual_device::exact {

Dependences::Set Dependences::set_of(Id id) const {
  if ((id & single) == 0) return id == 0 ? Set{} : sets_[id - 1];
  Set set{};
  set[id >> lane_shift & 31U] = id & (most_reads - 1);
  return set;
}

Dependences::Id Dependences::united(Id a, Id b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  // Two reads of one lane: the later one, whose number is the larger.
  if ((a & b & single) != 0 && (a ^ b) >> lane_shift == 0) return std::max(a, b);
  const Set first = set_of(a);
  const Set second = set_of(b);
  Set both;
  for (std::size_t lane = 0; lane < both.size(); ++lane) both[lane] = std::max(first[lane], second[lane]);
  if (both == first) return a;
  if (both == second) return b;
  sets_.push_back(both);
  return static_cast<Id>(sets_.size());
}

bool Dependences::has(Id id, std::uint32_t lane, std::uint32_t number) const {
  if (id == 0 || number == 0) return false;
  if ((id & single) != 0) return id == of_read(lane, number);
  return sets_[id - 1][lane] == number;
}

void Block::forget_dependences() {
  dependences_.clear();
  std::fill(depends_.begin(), depends_.end(), 0U);
}

/// Behind a step of one thread: on what do its results depend?
void Block::follow(Thread& thread, const Step& step) {
  if (dependences_.full()) forget_dependences();
  Dependences::Id id = 0;
  switch (step.kind) {
    case StepKind::arithmetic:
    case StepKind::select:
    case StepKind::pack:
    case StepKind::unpack:
      for (unsigned i = 0; i < step.src_count; ++i) id = dependences_.united(id, thread.depends[step.src[i]]);
      break;
    case StepKind::load:
      id = thread.last_read;
      break;
    default:
      break;
  }
  for (unsigned i = 0; i < step.dst_count; ++i) thread.depends[step.dst[i]] = id;
}

/// Behind a warp operation of `lanes`.
void Block::follow_lanes(std::uint32_t warp, std::uint32_t lanes, Opcode op) {
  if (dependences_.full()) forget_dependences();
  std::array<Dependences::Id, 32> values{};
  Dependences::Id all = 0;
  const bool joins = op == Opcode::vote || op == Opcode::match || op == Opcode::redux;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    values[lane] = op == Opcode::shfl || joins ? thread.depends[code_.steps[thread.pc].src[0]] : 0;
    if (joins) all = dependences_.united(all, values[lane]);
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    Dependences::Id id = all;
    if (op == Opcode::shfl && (lanes >> thread.shuffled_from & 1U) != 0) id = values[thread.shuffled_from];
    for (unsigned i = 0; i < own.dst_count; ++i) thread.depends[own.dst[i]] = i == 0 ? id : 0;
  });
}

}  // namespace evo::evaluators::virtual_device::exact
