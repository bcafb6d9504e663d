#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {

Word Block::atomic_result(const Thread& thread, const Step& step, const Place& place, unsigned element,
                          Word old) {
  const Instruction& instruction = *step.instruction;
  const Word mask = all_ones(step.element);
  const Word operand = source(thread, step, element) & mask;
  switch (instruction.atomic) {
    case AtomicOp::exch:
      return operand;
    case AtomicOp::cas:
      return old == operand ? source(thread, step, 1) & mask : old;
    case AtomicOp::inc:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::dec:
      return old == 0 || old > operand ? operand : old - 1;
    default:
      break;
  }
  if (instruction.type == Type::f32 && instruction.atomic == AtomicOp::add) {
    // Global memory flushes subnormals, shared memory does not (PTX ISA, atom).
    const float a = semantics::f32_of(static_cast<std::uint32_t>(old));
    const float b = semantics::f32_of(static_cast<std::uint32_t>(operand));
    const bool flush = place.space == Space::global;
    const float sum = flush ? semantics::flush(semantics::flush(a) + semantics::flush(b)) : a + b;
    return semantics::bits_of(semantics::canonical(sum));
  }
  Instruction arithmetic;
  arithmetic.type = instruction.type;
  const Word sources[6] = {old, operand, 0, 0, 0, 0};
  return step.function(arithmetic, sources).value & mask;
}

void Block::atomic(Thread& thread, const Step& step) {
  Place place;
  const bool returns = step.instruction->op == Opcode::atom;
  const bool plain = step.instruction->atomic == AtomicOp::exch ||
                     step.instruction->atomic == AtomicOp::cas || step.instruction->atomic == AtomicOp::inc ||
                     step.instruction->atomic == AtomicOp::dec;
  if (step.function == nullptr && !plain) {
    Finding finding;
    finding.kind = FindingKind::unsupported;
    finding.here = site(thread);
    log_.add(finding);
    stop();
    return;
  }
  if (!locate(thread, step, AccessKind::atomic, place)) {
    for (unsigned i = 0; returns && i < step.dst_count; ++i) set(thread, step, i, 0, 0);
    return;
  }
  if (place.space != Space::local) {
    check_races(site(thread), order_of(step, place), place, AccessKind::atomic, nullptr);
    if (order_ != nullptr) read_flag(thread, step, place, false);
  }
  overwrite_mbarriers(place);
  const bool late = note_late_store(thread, step, place, true);
  bool changes = false;
  for (unsigned i = 0; i < step.vector; ++i) {
    std::uint32_t poison = 0;
    if (place.shadow != nullptr &&
        peek(place.shadow + i * step.element, step.element) != all_ones(step.element)) {
      // exch does not look at what it replaces, except that it returns it.
      poison = origin_of(thread, step, place, i);
      thread.tainted = true;
    }
    const Word old = peek(place.data + i * step.element, step.element);
    const Word result = atomic_result(thread, step, place, i, old);
    const bool replaces = step.instruction->atomic == AtomicOp::exch;
    std::uint32_t operand_poison = thread.tainted ? poison_of(thread, step) : 0;
    if (operand_poison == 0 && !replaces) operand_poison = poison;
    if (operand_poison != 0 && place.space == Space::global)
      report_uninitialized(thread, operand_poison, "is stored to global memory");
    if (operand_poison != 0 && place.space == Space::shared) {
      for (unsigned b = 0; b < step.element; ++b) {
        poisoned_bytes_[place.address + std::uint64_t{i} * step.element + b] = operand_poison;
      }
    }
    changes |= result != old;
    mark_written(place, step, i, operand_poison);
    poke(place.data + i * step.element, step.element, result);
    if (returns && step.dst_count > i) {
      set(thread, step, i, extended(old, step.instruction->type, step.element, step.dst_bytes[i]), poison);
    }
  }
  if (changes) {
    ++progress_;
    thread.spin = {};
  } else if (step.polls) {
    note_poll(thread, step, place);
  }
  // A comparison that fails publishes nothing.
  const bool failed = step.instruction->atomic == AtomicOp::cas && !changes;
  if (order_ != nullptr && place.space != Space::local && !failed)
    write_flag(thread, step, place, true, late);
  if (step.acquire) orders_loads(thread, order_of(step, place).strength == Strength::device);
}

}  // namespace evo::evaluators::virtual_device::exact
