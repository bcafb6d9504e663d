#include "evaluators/devices/virtual/ptx/first_reads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace evo::evaluators::virtual_device::ptx {
namespace {

using Registers = std::vector<bool>;

bool names(const Operand& operand, const Registers& registers) {
  return operand.kind == Operand::Kind::reg && registers[operand.index];
}

std::span<const Operand> sources(const Instruction& i) {
  return std::span(i.src).first(i.src_count);
}
std::span<const Operand> targets(const Instruction& i) {
  return std::span(i.dst).first(i.dst_count);
}

bool is_swap(const Instruction& i) {
  return i.op == Opcode::atom && i.atomic == AtomicOp::cas;
}

bool only_computes(const Instruction& i) {
  return i.op >= Opcode::add && i.op <= Opcode::unpack && i.op != Opcode::setp && i.op != Opcode::set &&
         i.op != Opcode::testp && i.op != Opcode::cvta && !i.carry_out;
}

bool is_copy(const Instruction& i) {
  return i.op == Opcode::mov && i.src_count == 1 && i.dst_count == 1 && i.guard.kind == Operand::Kind::none;
}

bool is_plain_load(const Instruction& i) {
  return i.op == Opcode::ld &&
         (i.space == Space::global || i.space == Space::generic || i.space == Space::shared) &&
         i.vector == 1 && i.dst_count == 1 && i.scope == Scope::none && !i.is_volatile && !i.acquire &&
         !i.non_coherent;
}

/// Where the value of a load goes.
class Followed {
 public:
  Followed(const Program& program, std::size_t load)
      : program_(program),
        load_(load),
        tainted_(program.registers.size()),
        found_(program.registers.size()) {}

  bool leads_to_one_swap() {
    tainted_[program_.code[load_].dst[0].index] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : program_.code) {
        if (!reads(i) || !only_computes(i)) continue;
        for (const Operand& target : targets(i)) changed |= add(tainted_, target);
      }
    }
    for (const Instruction& i : program_.code) {
      if (!is_swap(i) || !reads(i)) continue;
      if (swap_ != nullptr || i.dst_count != 1) return false;
      swap_ = &i;
    }
    if (swap_ == nullptr) return false;
    // What the swap found, and copies of it.
    found_[swap_->dst[0].index] = true;
    const Registers copies = copies_of_the_load();
    if (!names(swap_->src[0], copies)) return false;
    if (!computed_anew()) return false;
    return std::ranges::all_of(program_.code, [&](const Instruction& i) {
      if (!reads(i) || (only_computes(i) && !names(i.guard, tainted_))) return true;
      if (&i == swap_) return !names(i.base, tainted_) && !names(i.guard, tainted_);
      return tells_success(i, copies);
    });
  }

 private:
  [[nodiscard]] bool reads(const Instruction& i) const {
    return std::ranges::any_of(sources(i), [&](const Operand& each) { return names(each, tainted_); }) ||
           names(i.base, tainted_) || names(i.guard, tainted_);
  }
  /// For each swap its new value is computed from the very value that it compares with: in the swap's own
  /// basic block, from one register.
  [[nodiscard]] bool computed_anew() const {
    const auto swap = static_cast<std::size_t>(swap_ - program_.code.data());
    const auto after = std::ranges::upper_bound(program_.block_starts, swap);
    const std::size_t begin = after == program_.block_starts.begin() ? 0 : *std::prev(after);
    // Where the compared value was, when the block began or the load gave it.
    std::uint32_t root = swap_->src[0].index;
    std::size_t from = begin;
    for (std::size_t at = swap; at-- > begin;) {
      const Instruction& i = program_.code[at];
      const bool sets = std::ranges::any_of(targets(i), [&](const Operand& target) {
        return target.kind == Operand::Kind::reg && target.index == root;
      });
      if (!sets) continue;
      from = at + 1;
      if (at == load_) break;
      if (!is_copy(i) || i.src[0].kind != Operand::Kind::reg) return false;
      root = i.src[0].index;
      from = begin;
    }
    Registers fresh(tainted_.size());
    fresh[root] = true;
    const auto stale = [&](const Operand& each) { return names(each, tainted_) && !names(each, fresh); };
    for (std::size_t at = 0; at < program_.code.size(); ++at) {
      const Instruction& i = program_.code[at];
      const bool here = at >= from && at < swap;
      if (!here && at != load_ && only_computes(i) && !is_copy(i) && reads(i)) return false;
      if (!here || !reads(i)) continue;
      if (std::ranges::any_of(sources(i), stale)) return false;
      for (const Operand& target : targets(i)) add(fresh, target);
    }
    return !std::ranges::any_of(sources(*swap_), stale);
  }
  static bool add(Registers& registers, const Operand& operand) {
    if (operand.kind != Operand::Kind::reg || registers[operand.index]) return false;
    registers[operand.index] = true;
    return true;
  }
  /// Registers that hold nothing but the load's value or what the swap found, by copies alone.
  [[nodiscard]] Registers copies_of_the_load() const {
    Registers copies(tainted_);
    copies[swap_->dst[0].index] = true;
    const Instruction* const load = &program_.code[load_];
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : program_.code) {
        const bool fits = &i == load || &i == swap_ || (is_copy(i) && names(i.src[0], copies));
        if (fits) continue;
        for (const Operand& target : targets(i)) {
          if (!names(target, copies)) continue;
          copies[target.index] = false;
          changed = true;
        }
      }
    }
    return copies;
  }
  /// A comparison of what was assumed with what the swap found.
  [[nodiscard]] bool tells_success(const Instruction& i, const Registers& copies) const {
    const bool equality = i.compare == Compare::eq || i.compare == Compare::ne;
    if (i.op != Opcode::setp || !equality || i.src_count != 2 || names(i.guard, tainted_)) return false;
    return names(i.src[0], copies) && names(i.src[1], copies) && is_bits(i.type) &&
           (names(i.src[0], found_) || names(i.src[1], found_));
  }
  static bool is_bits(Type type) { return type != Type::f16 && type != Type::f32 && type != Type::f64; }

  const Program& program_;
  std::size_t load_;
  Registers tainted_, found_;
  const Instruction* swap_ = nullptr;
};

}  // namespace

void mark_first_reads(Program& program) {
  if (std::ranges::none_of(program.code, is_swap)) return;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (is_plain_load(program.code[i]) && Followed(program, i).leads_to_one_swap()) first.push_back(i);
  }
  for (const std::size_t i : first) program.code[i].scope = Scope::gpu;
}

}  // namespace evo::evaluators::virtual_device::ptx
