// One instruction to its steps.
#include <algorithm>

#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"
#include "evaluators/devices/virtual/warp/operand_types.hpp"

namespace evo::evaluators::virtual_device::warp {

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
