// Where the operands of a step are: slots of registers, constants and temporaries, as wide as the step takes
// them.
#include <algorithm>

#include "evaluators/devices/virtual/warp/decoder.hpp"

namespace evo::evaluators::virtual_device::warp {

Op Decoder::begin(Handler handler) const {
  Op op;
  op.fn = handler;
  op.instruction = current_;
  return op;
}

void Decoder::push(const Op& op, const Slot* d, const Slot* a, const Slot* b, const Slot* c) {
  const auto index = static_cast<std::uint32_t>(code_.ops.size());
  Op complete = op;
  const auto place = [&](const Slot* slot, Field offset, Field poison) {
    if (slot == nullptr) return;
    complete.*offset = slot->offset;
    complete.*poison = poison_of(*slot);
    if (slot->lane_class == 0) predicate_fields_.emplace_back(index, offset);
  };
  place(d, &Op::d, &Op::pd);
  place(a, &Op::a, &Op::pa);
  place(b, &Op::b, &Op::pb);
  place(c, &Op::c, &Op::pc);
  code_.ops.push_back(complete);
}

unsigned Decoder::register_bytes(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return 4;
  return size_of(program_.registers[operand.index]);
}

Decoder::Slot Decoder::source(const Operand& operand, unsigned lane_class) {
  switch (operand.kind) {
    case Operand::Kind::immediate:
      return constant(lane_class == 0 && operand.negated ? (operand.bits & 1) ^ 1 : operand.bits, lane_class);
    case Operand::Kind::special:
      return special(static_cast<SpecialRegister>(operand.index), lane_class == 0 ? 4 : lane_class);
    case Operand::Kind::none:
      return constant(0, lane_class);
    case Operand::Kind::reg:
      break;
  }
  const Slot slot = register_slots_[operand.index];
  if (slot.lane_class == 0 && operand.negated) {
    const Slot inverted = temporary(0);
    push(begin(&not_predicate_step), &inverted, &slot, nullptr, nullptr);
    return inverted;
  }
  if (slot.lane_class == lane_class || slot.lane_class == 0 || lane_class == 0) return slot;
  const Slot resized = temporary(lane_class);
  Op op = begin(&resize_step);
  op.c = (lane_class == 8 ? 1U : 0U) | (slot.lane_class == 8 ? 4U : 0U) | 32U << 8;
  push(op, &resized, &slot, nullptr, nullptr);
  return resized;
}

Decoder::Slot Decoder::target(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return Slot{};
  return register_slots_[operand.index];
}

Decoder::Slot Decoder::target_as(const Operand& operand, unsigned lane_class, unsigned bits, bool sign) {
  if (operand.kind != Operand::Kind::reg) return Slot{0, static_cast<std::uint8_t>(lane_class), false};
  const Slot slot = register_slots_[operand.index];
  const unsigned width = 8 * size_of(program_.registers[operand.index]);
  const bool extends = sign && bits < std::min(width, 32U);
  if (slot.lane_class == lane_class && !extends) return slot;
  Pending pending;
  pending.temporary = temporary(lane_class);
  pending.target = slot;
  pending.sign = sign;
  pending.bits = bits;
  pending_.push_back(pending);
  return pending.temporary;
}

void Decoder::resize_targets() {
  for (const Pending& pending : pending_) {
    Op op = begin(&resize_step);
    op.c = (pending.target.lane_class == 8 ? 1U : 0U) | (pending.sign ? 2U : 0U) |
           (pending.temporary.lane_class == 8 ? 4U : 0U) | pending.bits << 8;
    push(op, &pending.target, &pending.temporary, nullptr, nullptr);
  }
  pending_.clear();
}

std::uint32_t Decoder::add_wide(const Wide& wide, const std::vector<Slot>& targets,
                                const std::vector<Slot>& sources) {
  const auto index = static_cast<std::uint32_t>(code_.wide.size());
  Wide complete = wide;
  complete.dst_count = static_cast<std::uint8_t>(targets.size());
  complete.src_count = static_cast<std::uint8_t>(sources.size());
  for (unsigned k = 0; k < targets.size(); ++k) {
    complete.dst[k] = targets[k].offset;
    complete.dst_class[k] = targets[k].lane_class;
    complete.dst_poison[k] = poison_of(targets[k]);
    if (targets[k].lane_class == 0) predicate_wide_.emplace_back(index, k);
  }
  for (unsigned k = 0; k < sources.size(); ++k) {
    complete.src[k] = sources[k].offset;
    complete.src_class[k] = sources[k].lane_class;
    complete.src_poison[k] = poison_of(sources[k]);
    if (sources[k].lane_class == 0) predicate_wide_.emplace_back(index, 4 + k);
  }
  code_.wide.push_back(complete);
  return index;
}

}  // namespace evo::evaluators::virtual_device::warp
