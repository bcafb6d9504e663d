// One instruction to its steps.
#include <algorithm>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

unsigned class_of(Type type) { return type == Type::pred ? 0 : size_of(type) == 8 ? 8 : 4; }

/// The type of a source operand, by place.
Type source_type(const Instruction& i, unsigned place) {
  switch (i.op) {
    case Opcode::cvt: return i.type2;
    case Opcode::setp:
    case Opcode::set: return place == 2 ? Type::pred : semantics::detail::compared_type(i);
    case Opcode::selp: return place == 2 ? Type::pred : i.type;
    case Opcode::slct: return place == 2 ? i.type2 : i.type;
    case Opcode::shl:
    case Opcode::shr: return place == 1 ? Type::u32 : i.type;
    case Opcode::bfe: return place >= 1 ? Type::u32 : i.type;
    case Opcode::bfi: return place >= 2 ? Type::u32 : i.type;
    case Opcode::mad:
      if (i.mul_mode == MulMode::wide && place == 2) return size_of(i.type) == 4 ? Type::u64 : Type::u32;
      return i.type;
    case Opcode::vote: return place == 0 ? Type::pred : Type::u32;
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux: return place == 0 ? i.type : Type::u32;
    default: return i.type;
  }
}
/// The type that the instruction writes.
Type result_type(const Instruction& i) {
  switch (i.op) {
    case Opcode::mul:
    case Opcode::mad:
      if (i.mul_mode != MulMode::wide || semantics::is_float(i.type)) return i.type;
      if (semantics::is_signed(i.type)) return size_of(i.type) == 4 ? Type::s64 : Type::s32;
      return size_of(i.type) == 4 ? Type::u64 : Type::u32;
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind: return Type::u32;
    case Opcode::setp:
    case Opcode::testp: return Type::pred;
    default: return i.type;
  }
}

}  // namespace

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
    case Operand::Kind::special: return special(static_cast<SpecialRegister>(operand.index), lane_class == 0 ? 4 : lane_class);
    case Operand::Kind::none: return constant(0, lane_class);
    case Operand::Kind::reg: break;
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

std::uint32_t Decoder::add_wide(const Wide& wide, const std::vector<Slot>& targets, const std::vector<Slot>& sources) {
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

void Decoder::lower_jump(Handler handler, std::uint32_t target_instruction) {
  Op op = begin(handler);
  op.extra = target_instruction;
  jumps_.push_back(static_cast<std::uint32_t>(code_.ops.size()));
  code_.ops.push_back(op);
}

void Decoder::unsupported() { code_.ops.push_back(begin(&unsupported_step)); }

void Decoder::lower(std::uint32_t index, const Instruction& instruction) {
  current_ = index;
  const auto first = static_cast<std::uint32_t>(code_.ops.size());
  if (instruction.guard.kind == Operand::Kind::none) {
    lower_plain(instruction);
  } else {
    lower_guarded(instruction);
  }
  if (!leader_[index]) first_op_[index] = first;
}

void Decoder::lower_guarded(const Instruction& instruction) {
  Operand guard = instruction.guard;
  const bool negated = guard.negated;
  guard.negated = false;
  const Slot predicate = source(guard, 0);
  const auto test = [&](Handler handler, bool inverted) {
    Op op = begin(handler);
    op.c = inverted ? all_lanes : 0;
    push(op, nullptr, &predicate, nullptr, nullptr);
    return static_cast<std::uint32_t>(code_.ops.size() - 1);
  };
  if (instruction.op == Opcode::bra || branches_around(instruction.op)) {
    const bool around = instruction.op != Opcode::bra;
    const std::uint32_t jump = test(&branch_if_step, negated != around);
    code_.ops[jump].extra = around ? current_ + 1 : instruction.target;
    jumps_.push_back(jump);
    if (around) lower_plain(instruction);
    return;
  }
  const std::uint32_t guarded = test(&guarded_step, negated);
  lower_plain(instruction);
  code_.ops[guarded].extra = static_cast<std::uint32_t>(code_.ops.size()) - guarded - 1;
}

void Decoder::lower_plain(const Instruction& i) {
  const auto step = [&](Handler handler) { code_.ops.push_back(begin(handler)); };
  switch (i.op) {
    case Opcode::unsupported: return unsupported();
    case Opcode::bra: return lower_jump(&branch_step, i.target);
    case Opcode::brx: {
      Wide wide;
      wide.targets = program_.branch_tables[i.table];
      Op op = begin(&branch_table_step);
      op.extra = add_wide(wide, {}, {source(i.src[0], 4)});
      code_.ops.push_back(op);
      return;
    }
    case Opcode::ret:
    case Opcode::exit: return step(&exit_step);
    case Opcode::trap: return step(&trap_step);
    case Opcode::call_assertfail: return step(&assert_step);
    case Opcode::nanosleep:
    case Opcode::membar:
    case Opcode::prefetch: return step(&nothing_step);
    case Opcode::call_vprintf:
      if (i.dst_count > 0 && i.dst[0].kind == Operand::Kind::reg) {
        // printf returns how many arguments it wrote; the machine prints nothing.
        const Slot out = target_as(i.dst[0], 4, 32, false);
        const Slot zero = constant(0, 4);
        push(begin(mov_handler()), &out, &zero, nullptr, nullptr);
        return resize_targets();
      }
      return step(&nothing_step);
    case Opcode::pack:
    case Opcode::unpack: return lower_pack(i);
    case Opcode::cvta:
    case Opcode::isspacep: return lower_address(i);
    case Opcode::ld:
    case Opcode::st: return lower_memory(i);
    case Opcode::atom:
    case Opcode::red: return lower_atomic(i);
    case Opcode::bar:
    case Opcode::bar_red: return lower_barrier(i);
    case Opcode::bar_warp: return lower_wide(i, &warp_barrier_step);
    case Opcode::shfl: return lower_wide(i, &shuffle_step);
    case Opcode::vote: return lower_wide(i, &vote_step);
    case Opcode::match: return lower_wide(i, &match_step);
    case Opcode::redux: return lower_wide(i, &redux_step);
    case Opcode::elect: return lower_wide(i, &elect_step);
    case Opcode::activemask: return lower_wide(i, &activemask_step);
    default: return lower_arithmetic(i);
  }
}

Handler Decoder::mov_handler() const {
  Instruction move;
  move.op = Opcode::mov;
  move.type = Type::b32;
  return select_alu_(move, code_.checked);
}

void Decoder::lower_arithmetic(const Instruction& i) {
  if (i.op == Opcode::lop3) {
    const Slot a = source(i.src[0], 4);
    const Slot b = source(i.src[1], 4);
    const Slot c = source(i.src[2], 4);
    const Slot out = target_as(i.dst[0], 4, 32, false);
    Op op = begin(select_special_(SpecialStep::logic3));
    op.offset = static_cast<std::int64_t>(i.immediate);
    push(op, &out, &a, &b, &c);
    return resize_targets();
  }
  Handler handler = i.carry_out ? nullptr : select_alu_(i, code_.checked);
  if (i.op == Opcode::setp && handler != nullptr) return lower_compare(i, handler);
  if (handler == nullptr || i.src_count > 3 || i.dst_count != 1) {
    const semantics::ScalarFunction function = semantics::scalar_function(i);
    return function == nullptr ? unsupported() : lower_scalar(i, function);
  }
  Slot sources[3];
  for (unsigned place = 0; place < i.src_count; ++place) {
    sources[place] = source(i.src[place], class_of(source_type(i, place)));
  }
  const Type result = result_type(i);
  const Slot out = target_as(i.dst[0], class_of(result), 8 * size_of(result),
                             i.op == Opcode::cvt && semantics::is_signed(result));
  push(begin(handler), &out, i.src_count > 0 ? &sources[0] : nullptr, i.src_count > 1 ? &sources[1] : nullptr,
       i.src_count > 2 ? &sources[2] : nullptr);
  resize_targets();
}

void Decoder::lower_compare(const Instruction& i, Handler handler) {
  const Slot a = source(i.src[0], class_of(source_type(i, 0)));
  const Slot b = source(i.src[1], class_of(source_type(i, 1)));
  const Slot first = i.dst[0].kind == Operand::Kind::reg ? target(i.dst[0]) : Slot{0, 0, false};
  Op op = begin(handler);
  op.offset = static_cast<std::int64_t>(i.bool_op);
  Slot c;
  const bool combined = i.bool_op != BoolOp::none;
  if (combined) c = source(i.src[2], 0);
  if (i.dst_count > 1) {
    op.offset |= 16;
    const Slot second = i.dst[1].kind == Operand::Kind::reg ? target(i.dst[1]) : Slot{0, 0, false};
    op.extra = add_wide({}, {first, second}, {});
  }
  if (!combined && op.offset != 0) c = constant(0, 0);
  push(op, &first, &a, &b, op.offset != 0 ? &c : nullptr);
}

void Decoder::lower_scalar(const Instruction& i, semantics::ScalarFunction function) {
  std::vector<Slot> sources;
  for (unsigned place = 0; place < i.src_count; ++place) {
    sources.push_back(source(i.src[place], class_of(source_type(i, place))));
  }
  const Type result = result_type(i);
  std::vector<Slot> targets;
  targets.push_back(target_as(i.dst[0], class_of(result), 8 * size_of(result),
                              i.op == Opcode::cvt && semantics::is_signed(result)));
  for (unsigned k = 1; k < i.dst_count; ++k) targets.push_back(target_as(i.dst[k], class_of(result), 1, false));
  Wide wide;
  wide.scalar = function;
  Op op = begin(&scalar_step);
  op.extra = add_wide(wide, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

/// The common pairs, whose registers are as wide as their parts. False: not one of them.
bool Decoder::lower_pair(const Instruction& i) {
  const bool packs = i.op == Opcode::pack;
  const unsigned whole = size_of(i.type);
  const Operand* parts = packs ? i.src : i.dst;
  if ((packs ? i.src_count : i.dst_count) != 2 || (whole != 4 && whole != 8)) return false;
  const Operand& other = packs ? i.dst[0] : i.src[0];
  if (other.kind == Operand::Kind::reg && register_bytes(other) != whole) return false;
  for (const Operand* part : {&parts[0], &parts[1]}) {
    if (part->kind == Operand::Kind::reg && register_bytes(*part) != whole / 2) return false;
  }
  const auto part_target = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::reg ? target(operand) : Slot{};
  };
  const unsigned whole_class = whole == 8 ? 8 : 4;
  if (packs) {
    const Slot low = source(parts[0], 4);
    const Slot high = source(parts[1], 4);
    const Slot out = part_target(other);
    push(begin(select_special_(whole == 8 ? SpecialStep::pack_words : SpecialStep::pack_halves)), &out, &low, &high, nullptr);
  } else {
    const Slot in = source(other, whole_class);
    const Slot low = part_target(parts[0]);
    const Slot high = part_target(parts[1]);
    push(begin(select_special_(whole == 8 ? SpecialStep::unpack_words : SpecialStep::unpack_halves)), &low, &in, &high, nullptr);
  }
  return true;
}

void Decoder::lower_pack(const Instruction& i) {
  if (lower_pair(i)) return;
  const bool packs = i.op == Opcode::pack;
  const unsigned parts = packs ? i.src_count : i.dst_count;
  const unsigned bits = 8 * size_of(i.type) / std::max(1U, parts);
  const unsigned part_class = bits == 64 ? 8 : 4;
  std::vector<Slot> sources;
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.src_count; ++k) sources.push_back(source(i.src[k], packs ? part_class : class_of(i.type)));
  for (unsigned k = 0; k < i.dst_count; ++k) {
    targets.push_back(target_as(i.dst[k], packs ? class_of(i.type) : part_class, 8 * size_of(i.type), false));
  }
  Op op = begin(packs ? &pack_step : &unpack_step);
  op.c = bits;
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

void Decoder::lower_address(const Instruction& i) {
  const unsigned width = class_of(i.type);
  if (i.op == Opcode::isspacep) {
    const Slot a = source(i.src[0], 8);
    const Slot out = target(i.dst[0]);
    Op op = begin(&isspacep_step);
    push(op, &out, &a, nullptr, nullptr);
    code_.ops.back().c = static_cast<std::uint32_t>(i.space);
    return;
  }
  const Slot a = source(i.src[0], width);
  const Slot out = target_as(i.dst[0], width, 8 * size_of(i.type), false);
  Op op = begin(&address_step);
  const auto window = static_cast<std::int64_t>(window_of(i.space));
  op.offset = i.to_space ? -window : window;
  op.c = width == 8 ? 3U : 0U;
  push(op, &out, &a, nullptr, nullptr);
  resize_targets();
}

void Decoder::lower_memory(const Instruction& i) {
  const Handler handler = select_memory_(i, code_.checked);
  if (handler == nullptr) return unsupported();
  const bool small = i.space != Space::global && i.space != Space::generic && i.space != Space::none;
  const unsigned element_class = class_of(i.type);
  const unsigned bits = 8 * size_of(i.type);
  const bool is_long = !small || (i.base.kind == Operand::Kind::reg && register_bytes(i.base) == 8);
  Op op = begin(handler);
  op.offset = i.offset;
  const Slot base = source(i.base, is_long ? 8 : 4);
  if (i.op == Opcode::st) {
    std::vector<Slot> values;
    for (unsigned k = 0; k < i.vector; ++k) values.push_back(source(i.src[k], element_class));
    if (i.vector > 1) op.extra = add_wide({}, {}, values);
    push(op, nullptr, &base, i.vector == 1 ? &values[0] : nullptr, nullptr);
    if (small && is_long) code_.ops.back().pc = 1;
    return;
  }
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.vector; ++k) targets.push_back(target_as(i.dst[k], element_class, bits, false));
  if (semantics::is_signed(i.type) && bits < 32) {
    // Into a register of 32 bits or more the sign goes all the way.
    const unsigned width = std::min(32U, 8 * register_bytes(i.dst[0]));
    op.c = width == 32 ? 0xffffffffU : (1U << width) - 1;
    for (Pending& pending : pending_) pending.sign = true, pending.bits = 32;
  } else if (semantics::is_signed(i.type) && bits == 32) {
    for (Pending& pending : pending_) pending.sign = true;
  }
  if (i.vector > 1) op.extra = add_wide({}, targets, {});
  push(op, i.vector == 1 ? &targets[0] : nullptr, &base, nullptr, nullptr);
  if (small && is_long) code_.ops.back().pc = 1;
  resize_targets();
}

void Decoder::lower_atomic(const Instruction& i) {
  const unsigned element_class = class_of(i.type);
  std::vector<Slot> sources{source(i.base, 8)};
  if (i.base.kind == Operand::Kind::reg && register_bytes(i.base) != 8) sources[0] = source(i.base, 8);
  for (unsigned k = 0; k < i.src_count; ++k) sources.push_back(source(i.src[k], element_class));
  std::vector<Slot> targets;
  if (i.dst_count > 0) targets.push_back(target_as(i.dst[0], element_class, 8 * size_of(i.type), false));
  Op op = begin(&atomic_step);
  op.offset = i.offset;
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

void Decoder::lower_barrier(const Instruction& i) {
  // Wide: barrier, threads, and the predicate of a reduction; c says how many were given.
  std::vector<Slot> sources{source(i.src[0], 4), source(i.src[1], 4)};
  std::vector<Slot> targets;
  if (i.op == Opcode::bar_red) {
    sources.push_back(source(i.src[2], 0));
    const bool counts = i.barrier == BarrierMode::red_popc;
    targets.push_back(i.dst[0].kind == Operand::Kind::reg ? target(i.dst[0])
                                                          : Slot{0, static_cast<std::uint8_t>(counts ? 4 : 0), false});
  }
  Op op = begin(i.barrier == BarrierMode::arrive ? &barrier_arrive_step : &barrier_step);
  op.extra = add_wide({}, targets, sources);
  op.c = i.src[1].kind == Operand::Kind::none ? 0 : 1;
  code_.ops.push_back(op);
}

void Decoder::lower_wide(const Instruction& i, Handler handler) {
  std::vector<Slot> sources;
  for (unsigned place = 0; place < i.src_count; ++place) {
    sources.push_back(source(i.src[place], class_of(source_type(i, place))));
  }
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.dst_count; ++k) {
    targets.push_back(i.dst[k].kind == Operand::Kind::reg ? target(i.dst[k]) : Slot{});
    if (i.dst[k].kind != Operand::Kind::reg && (k == 1 || (i.op == Opcode::vote && i.vote != VoteMode::ballot))) {
      targets.back().lane_class = 0;
    }
  }
  Op op = begin(handler);
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
}

}  // namespace evo::evaluators::virtual_device::warp
