#include "evaluators/devices/virtual/exact/step_kinds.hpp"

namespace evo::evaluators::virtual_device::exact {

bool is_clock(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::clock:
    case SpecialRegister::clock64:
    case SpecialRegister::clock_hi:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi:
      return true;
    default:
      return false;
  }
}

StepKind kind_of(const Instruction& instruction, semantics::ScalarFunction function) {
  if (is_matrix(instruction.op)) return StepKind::matrix;
  if (is_warpgroup(instruction.op)) return StepKind::warpgroup;
  switch (instruction.op) {
    case Opcode::unsupported:
      return StepKind::unsupported;
    case Opcode::selp:
      return function == nullptr ? StepKind::unsupported : StepKind::select;
    case Opcode::pack:
      return StepKind::pack;
    case Opcode::unpack:
      return StepKind::unpack;
    case Opcode::cvta:
      return StepKind::convert_address;
    case Opcode::isspacep:
      return StepKind::is_space;
    case Opcode::ld:
      return StepKind::load;
    case Opcode::st:
      return StepKind::store;
    case Opcode::atom:
    case Opcode::red:
      return StepKind::atomic;
    case Opcode::cp_async:
      return StepKind::async_copy;
    case Opcode::cp_async_commit:
      return StepKind::async_commit;
    case Opcode::cp_async_wait:
      return StepKind::async_wait;
    case Opcode::mbarrier:
      return StepKind::mbarrier;
    case Opcode::bulk_copy:
      return StepKind::bulk_copy;
    case Opcode::bulk_commit:
      return StepKind::bulk_commit;
    case Opcode::bulk_wait:
      return StepKind::bulk_wait;
    case Opcode::tex:
      return StepKind::texture;
    case Opcode::surface:
      return StepKind::surface;
    case Opcode::bra:
      return StepKind::branch;
    case Opcode::brx:
      return StepKind::branch_table;
    case Opcode::ret:
    case Opcode::exit:
      return StepKind::leave;
    case Opcode::trap:
      return StepKind::trap;
    case Opcode::prefetch:
    case Opcode::proxy_fence:
      return StepKind::nothing;
    case Opcode::membar:
      return StepKind::fence;
    case Opcode::nanosleep:
      return StepKind::pause;
    case Opcode::bar:
    case Opcode::bar_red:
      return StepKind::barrier;
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::activemask:
    case Opcode::redux:
    case Opcode::elect:
      return StepKind::warp;
    case Opcode::call_vprintf:
      return StepKind::print;
    case Opcode::call_assertfail:
      return StepKind::assertion;
    default:
      return function == nullptr ? StepKind::unsupported : StepKind::arithmetic;
  }
}

/// The arithmetic of an atomic, on the old value and the operand; null for exch, cas, inc and dec.
semantics::ScalarFunction atomic_function(Instruction& arithmetic, const Instruction& atomic) {
  arithmetic.type = atomic.type;
  arithmetic.rounding = Rounding::none;
  arithmetic.src_count = 2;
  arithmetic.dst_count = 1;
  switch (atomic.atomic) {
    case AtomicOp::add:
      arithmetic.op = Opcode::add;
      break;
    case AtomicOp::min:
      arithmetic.op = Opcode::min;
      break;
    case AtomicOp::max:
      arithmetic.op = Opcode::max;
      break;
    case AtomicOp::and_:
      arithmetic.op = Opcode::and_;
      break;
    case AtomicOp::or_:
      arithmetic.op = Opcode::or_;
      break;
    case AtomicOp::xor_:
      arithmetic.op = Opcode::xor_;
      break;
    default:
      return nullptr;
  }
  return semantics::scalar_function(arithmetic);
}

Strength reach_of(Scope scope) {
  return scope == Scope::cta || scope == Scope::cluster ? Strength::block : Strength::device;
}

/// Atomics are relaxed and reach the GPU where they say nothing (PTX ISA, atom).
Strength strength_of(const Instruction& instruction) {
  const bool atomic = instruction.op == Opcode::atom || instruction.op == Opcode::red;
  const bool explicit_order = instruction.acquire || instruction.release || instruction.scope != Scope::none;
  return atomic || explicit_order ? reach_of(instruction.scope) : Strength::weak;
}

}  // namespace evo::evaluators::virtual_device::exact
