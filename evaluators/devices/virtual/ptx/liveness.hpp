// Where registers hold a value that may still be read, and a compact assignment of slots made from it. For an
// interpreter that gives each register one storage slot for all lanes of a warp.
//
// An interval is a hull in code order: it covers every instruction at which the register is live, for any
// lane, along any path, loops included. So two registers with disjoint intervals can share a slot even while
// a warp is diverged, provided that writes are masked by lane. Nothing shares within one instruction: a
// destination never takes the slot of a source that ends there, so a handler may write one result before it
// has read every source. A register that may be read before it is written is live from instruction 0: its
// slot has no earlier owner, and a slot that starts as "uninitialised" tells the fault.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// First and last instruction at which a register is written, read, or live. first > last: never used.
struct LiveInterval {
  std::uint32_t first = 1, last = 0;
  [[nodiscard]] bool used() const { return first <= last; }
  friend bool operator==(const LiveInterval&, const LiveInterval&) = default;
};

/// By register. Time grows with the code and with the registers live across block boundaries.
[[nodiscard]] std::vector<LiveInterval> live_intervals(const Program& program);

enum class SlotClass : std::uint8_t {
  predicate,
  word,  ///< up to 32 bits
  wide,  ///< 64 bits
};
[[nodiscard]] constexpr SlotClass slot_class(Type type) {
  if (type == Type::pred) return SlotClass::predicate;
  return size_of(type) == 8 ? SlotClass::wide : SlotClass::word;
}

struct SlotAssignment {
  static constexpr std::uint32_t no_slot = 0xffffffff;
  std::vector<std::uint32_t> slot;  ///< by register: index within its class; no_slot if never used
  std::uint32_t predicates = 0, words = 0, wides = 0;  ///< slots needed of each class
};

/// Linear scan over live_intervals(program).
[[nodiscard]] SlotAssignment assign_slots(const Program& program);

/// Calls visit(register) for each register that the program's instruction reads: sources, address base and
/// guard.
template <class Visit>
void for_each_read(const Program& program, const Instruction& instruction, Visit visit) {
  const auto look = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) visit(operand.index);
  };
  // By array, not by src_count: the predicate of a bar.red stands behind an absent thread count.
  for (const Operand& source : instruction.src) look(source);
  for (const Operand& source : program.matrix_sources(instruction)) look(source);
  look(instruction.base);
  look(instruction.guard);
}

/// Calls visit(register) for each register that the instruction writes (in the lanes where its guard holds).
template <class Visit>
void for_each_write(const Program& program, const Instruction& instruction, Visit visit) {
  const auto look = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) visit(operand.index);
  };
  for (const Operand& destination : instruction.dst) look(destination);
  for (const Operand& destination : program.matrix_destinations(instruction)) look(destination);
}

}  // namespace evo::evaluators::virtual_device::ptx
