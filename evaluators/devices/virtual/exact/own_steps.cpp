// What a thread's instruction does by itself: no memory, no other thread.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

[[nodiscard]] constexpr Word truncated(Word value, unsigned bytes) {
  return bytes >= 8 || bytes == 0 ? value : value & ((Word{1} << 8 * bytes) - 1);
}

}  // namespace

void Block::arithmetic(Thread& thread, const Step& step) {
  Word sources[6];
  for (unsigned i = 0; i < step.src_count; ++i) sources[i] = source(thread, step, i);
  const Instruction& instruction = *step.instruction;
  sources[semantics::carry_source] = step.src_count > semantics::carry_source
                                         ? sources[semantics::carry_source]
                                         : Word{thread.carry ? 1U : 0U};
  if (step.src_count < 3) sources[2] = 0;
  const semantics::ScalarResult result = step.function(instruction, sources);
  const std::uint32_t poison = thread.tainted ? poison_of(thread, step) : 0;
  Word first = 0;
  Word second = 0;
  if (poison != 0) {
    Word undefined[6] = {};
    for (unsigned i = 0; i < step.src_count; ++i) undefined[i] = undefined_bits(thread, step.src[i]);
    first = undefined_result(step, sources, undefined);
    if (step.dst_count > 1) second = undefined_second(step, sources, undefined);
  }
  set(thread, step, 0, result.value, poison, first);
  if (step.dst_count > 1) set(thread, step, 1, result.flag ? 1 : 0, poison, second);
  if (instruction.carry_out) thread.carry = result.flag;
}

void Block::select(Thread& thread, const Step& step) {
  const bool first = (source(thread, step, 2) & 1) != 0;
  std::uint32_t poison = 0;
  Word undefined = all_undefined;
  if (thread.tainted) {
    poison = thread.poison[step.src[2]];
    if (poison == 0) {
      poison = thread.poison[step.src[first ? 0 : 1]];
      undefined = undefined_bits(thread, step.src[first ? 0 : 1]);
    }
  }
  const Word value = source(thread, step, first ? 0 : 1);
  set(thread, step, 0, truncated(value, size_of(step.instruction->type)), poison, undefined);
}

void Block::pack(Thread& thread, const Step& step) {
  const unsigned bits = 8 * size_of(step.instruction->type) / std::max<unsigned>(1, step.src_count);
  Word value = 0;
  Word undefined = 0;
  for (unsigned i = 0; i < step.src_count; ++i) {
    value |= truncated(thread.frame[step.src[i]], bits / 8) << (bits * i);
    undefined |= truncated(undefined_bits(thread, step.src[i]), bits / 8) << (bits * i);
  }
  set(thread, step, 0, value, thread.tainted ? poison_of(thread, step) : 0, undefined);
}

void Block::unpack(Thread& thread, const Step& step) {
  const unsigned bits = 8 * size_of(step.instruction->type) / std::max<unsigned>(1, step.dst_count);
  const Word value = thread.frame[step.src[0]];
  const std::uint32_t poison = thread.tainted ? poison_of(thread, step) : 0;
  const Word undefined = undefined_bits(thread, step.src[0]);
  for (unsigned i = 0; i < step.dst_count; ++i) {
    set(thread, step, i, truncated(value >> (bits * i), bits / 8), poison,
        truncated(undefined >> (bits * i), bits / 8));
  }
}

void Block::convert_address(Thread& thread, const Step& step) {
  const Instruction& instruction = *step.instruction;
  const Word address = source(thread, step, 0) + static_cast<Word>(instruction.offset);
  const Word result = instruction.to_space ? from_generic(instruction.space, address)
                                           : to_generic(instruction.space, address);
  set(thread, step, 0, truncated(result, size_of(instruction.type)),
      thread.tainted ? poison_of(thread, step) : 0);
}

void Block::branch_table(Thread& thread, const Step& step) {
  const std::vector<std::uint32_t>& table = code_.program->branch_tables[step.instruction->table];
  const Word index = source(thread, step, 0);
  if (thread.tainted && thread.poison[step.src[0]] != 0) {
    report_uninitialized(thread, thread.poison[step.src[0]], "decides a branch");
  }
  thread.pc = index < table.size() ? table[index] : static_cast<std::uint32_t>(code_.steps.size());
}

void Block::refresh_clocks(Thread& thread) {
  for (const auto& [special, slot] : code_.specials) {
    switch (special) {
      case SpecialRegister::clock:
      case SpecialRegister::globaltimer_lo:
        thread.frame[slot] = thread.executed & 0xffffffffU;
        break;
      case SpecialRegister::clock_hi:
      case SpecialRegister::globaltimer_hi:
        thread.frame[slot] = thread.executed >> 32;
        break;
      case SpecialRegister::clock64:
      case SpecialRegister::globaltimer:
        thread.frame[slot] = thread.executed;
        break;
      default:
        break;
    }
  }
}

void Block::assertion(Thread& thread, const Step& step) {
  Finding finding;
  finding.kind = FindingKind::assertion;
  finding.here = site(thread);
  finding.text = fmt::format("{}: assertion `{}` failed ({}:{})", place_text(launch_, finding.here),
                             text_at(source(thread, step, 0)), text_at(source(thread, step, 1)),
                             source(thread, step, 2) & 0xffffffffU);
  log_.add(finding);
  stop();
}

}  // namespace evo::evaluators::virtual_device::exact
