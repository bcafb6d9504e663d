// One instruction to its steps.
#include <algorithm>

#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"
#include "evaluators/devices/virtual/warp/operand_types.hpp"

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

void Decoder::lower_jump(Handler handler, std::uint32_t target_instruction) {
  Op op = begin(handler);
  op.extra = target_instruction;
  jumps_.push_back(static_cast<std::uint32_t>(code_.ops.size()));
  code_.ops.push_back(op);
}

void Decoder::unsupported() {
  code_.ops.push_back(begin(&unsupported_step));
}

namespace {

bool is_access(Opcode op) {
  return op == Opcode::ld || op == Opcode::st || op == Opcode::atom || op == Opcode::red;
}

}  // namespace

void Decoder::lower(std::uint32_t index, const Instruction& instruction) {
  current_ = index;
  const auto first = static_cast<std::uint32_t>(code_.ops.size());
  // A weak load that waits for another thread races with its store, and the compiler need not repeat it.
  const bool strong = instruction.op == Opcode::atom || instruction.op == Opcode::red ||
                      instruction.is_volatile || instruction.acquire || instruction.release ||
                      instruction.scope != Scope::none;
  if ((polls_[index] && strong) || instruction.op == Opcode::nanosleep ||
      instruction.mbarrier == MbarrierMode::wait)
    lower_poll(instruction);
  else if (strong && is_access(instruction.op) && instruction.space != Space::local)
    code_.ops.push_back(begin(instruction.space == Space::shared ? &change_warps_step : &give_way_step));
  if (instruction.guard.kind == Operand::Kind::none) {
    lower_plain(instruction);
  } else {
    lower_guarded(instruction);
  }
  if (!leader_[index]) first_op_[index] = first;
}

/// What is looked at, too, if it is a load or an atomic operation: see spinning.hpp.
void Decoder::lower_poll(const Instruction& i) {
  Op op = begin(&poll_step);
  if (!is_access(i.op) || !polls_[current_]) {
    code_.ops.push_back(op);
    return;
  }
  const bool is_long = i.base.kind != Operand::Kind::reg || register_bytes(i.base) == 8;
  const Slot base = source(i.base, is_long ? 8 : 4);
  op.offset = i.offset;
  op.extra = size_of(i.type) * std::max<unsigned>(1, i.vector);
  op.c = is_long ? 8 : 4;
  op.a = base.offset;
  code_.ops.push_back(op);
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
  if (is_matrix(i.op)) return lower_matrix(i);
  const auto step = [&](Handler handler) { code_.ops.push_back(begin(handler)); };
  switch (i.op) {
    case Opcode::unsupported:
      return unsupported();
    case Opcode::mbarrier:
      return lower_mbarrier(i);
    case Opcode::bulk_copy:
      return lower_bulk_copy(i);
    case Opcode::bra:
      return lower_jump(&branch_step, i.target);
    case Opcode::brx: {
      Wide wide;
      wide.targets = program_.branch_tables[i.table];
      Op op = begin(&branch_table_step);
      op.extra = add_wide(wide, {}, {source(i.src[0], 4)});
      code_.ops.push_back(op);
      return;
    }
    case Opcode::ret:
    case Opcode::exit:
      return step(&exit_step);
    case Opcode::trap:
      return step(&trap_step);
    case Opcode::call_assertfail:
      return step(&assert_step);
    case Opcode::membar:
      return step(&fence_step);
    case Opcode::wgmma:
      return lower_warpgroup(i);
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::set_max_registers:
    case Opcode::nanosleep:
    case Opcode::prefetch:
    case Opcode::proxy_fence:
    case Opcode::bulk_commit:
    case Opcode::bulk_wait:
      return step(&nothing_step);
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
    case Opcode::unpack:
      return lower_pack(i);
    case Opcode::cvta:
    case Opcode::isspacep:
      return lower_address(i);
    case Opcode::ld:
    case Opcode::st:
      return lower_memory(i);
    case Opcode::tex:
    case Opcode::surface:
      return lower_texture(i);
    case Opcode::atom:
    case Opcode::red:
      return lower_atomic(i);
    case Opcode::cp_async:
      return lower_async_copy(i);
    case Opcode::cp_async_commit:
      return step(&async_commit_step);
    case Opcode::cp_async_wait:
      step(&async_wait_step);
      code_.ops.back().c = i.src_count == 0 ? async_wait_for_all : static_cast<std::uint32_t>(i.src[0].bits);
      return;
    case Opcode::bar:
    case Opcode::bar_red:
      return lower_barrier(i);
    case Opcode::bar_warp:
      return lower_wide(i, &warp_barrier_step);
    case Opcode::shfl:
      return lower_wide(i, &shuffle_step);
    case Opcode::vote:
      return lower_wide(i, &vote_step);
    case Opcode::match:
      return lower_wide(i, &match_step);
    case Opcode::redux:
      return lower_wide(i, &redux_step);
    case Opcode::elect:
      return lower_wide(i, &elect_step);
    case Opcode::activemask:
      return lower_wide(i, &activemask_step);
    default:
      return lower_arithmetic(i);
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
  for (unsigned k = 1; k < i.dst_count; ++k)
    targets.push_back(target_as(i.dst[k], class_of(result), 1, false));
  Wide wide;
  wide.scalar = function;
  Op op = begin(&scalar_step);
  op.extra = add_wide(wide, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

}  // namespace evo::evaluators::virtual_device::warp
