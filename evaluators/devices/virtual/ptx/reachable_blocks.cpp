#include "evaluators/devices/virtual/ptx/reachable_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "evaluators/devices/virtual/ptx/entry_live.hpp"
#include "evaluators/devices/virtual/ptx/flow_graph.hpp"
#include "evaluators/devices/virtual/ptx/integer_interval.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// An interval that has grown so often is a loop's counter: it gets to the end of its type.
constexpr unsigned most_growths = 6;

/// Of a predicate: which values it may have; neither where nothing has got there yet.
struct Truth {
  bool yes = false, no = false;
  [[nodiscard]] bool empty() const { return !yes && !no; }
  friend bool operator==(const Truth&, const Truth&) = default;
};
constexpr Truth either{true, true};

Truth negated(const Truth& a) {
  return {a.no, a.yes};
}

Truth combined(BoolOp op, const Truth& a, const Truth& b) {
  switch (op) {
    case BoolOp::and_:
      return {a.yes && b.yes, a.no || b.no};
    case BoolOp::or_:
      return {a.yes || b.yes, a.no && b.no};
    case BoolOp::xor_:
      return {(a.yes && b.no) || (a.no && b.yes), (a.yes && b.yes) || (a.no && b.no)};
    default:
      return a;
  }
}

BoolOp bool_op_of(Opcode op) {
  return op == Opcode::and_   ? BoolOp::and_
         : op == Opcode::or_  ? BoolOp::or_
         : op == Opcode::xor_ ? BoolOp::xor_
                              : BoolOp::none;
}

class Analysis {
 public:
  Analysis(const Program& program, std::span<const ParameterRange> ranges,
           std::optional<std::array<std::uint32_t, 3>> block)
      : program_(program),
        ranges_(ranges),
        block_(block),
        graph_(program),
        numbers_(program.registers.size()),
        truths_(program.registers.size()),
        growths_(program.registers.size(), 0),
        reached_(graph_.blocks(), false) {}

  std::vector<bool> run() {
    if (graph_.blocks() > 0) reached_[0] = true;
    // What may be read before it is written holds anything.
    for (const EntryLive& live : live_at_entry(program_)) set_anything(live.reg);
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (std::uint32_t block = 0; block < graph_.blocks(); ++block) {
        if (reached_[block]) pass(block);
      }
    }
    std::vector<bool> code(program_.code.size(), false);
    for (std::uint32_t block = 0; block < graph_.blocks(); ++block) {
      for (std::uint32_t at = graph_.start(block); at < graph_.end(block); ++at) code[at] = reached_[block];
    }
    return code;
  }

 private:
  [[nodiscard]] unsigned bytes_of(std::uint32_t reg) const { return size_of(program_.registers[reg]); }
  [[nodiscard]] bool is_predicate(std::uint32_t reg) const { return program_.registers[reg] == Type::pred; }

  void set(std::uint32_t reg, const Interval& value) {
    const Interval now = joined(numbers_[reg], value);
    if (now == numbers_[reg]) return;
    changed_ = true;
    const Interval all = all_of(bytes_of(reg));
    if (++growths_[reg] <= most_growths) {
      numbers_[reg] = now;
      return;
    }
    const Interval before = numbers_[reg];
    numbers_[reg] = {now.least < before.least ? all.least : before.least,
                     now.most > before.most ? all.most : before.most, now.twos};
  }
  void set(std::uint32_t reg, const Truth& value) {
    const Truth now{truths_[reg].yes || value.yes, truths_[reg].no || value.no};
    changed_ = changed_ || now != truths_[reg];
    truths_[reg] = now;
  }
  void set_anything(std::uint32_t reg) {
    if (is_predicate(reg)) {
      set(reg, either);
    } else if (numbers_[reg] != all_of(bytes_of(reg))) {
      changed_ = true;
      numbers_[reg] = all_of(bytes_of(reg));
    }
  }

  /// A source of an instruction of this type, as a signed number of as many bytes.
  [[nodiscard]] Interval number(const Operand& operand, Type type) const {
    const unsigned bytes = std::max(size_of(type), 1U);
    switch (operand.kind) {
      case Operand::Kind::reg:
        if (is_predicate(operand.index)) return all_of(bytes);
        // A wider register's lower part can be anything.
        if (bytes_of(operand.index) > bytes && !fits(numbers_[operand.index], bytes)) return all_of(bytes);
        return numbers_[operand.index];
      case Operand::Kind::immediate: {
        const unsigned shift = 64 - 8 * bytes;
        const std::int64_t value = static_cast<std::int64_t>(operand.bits << shift) >> shift;
        return number_of(value);
      }
      case Operand::Kind::special:
        return special(static_cast<SpecialRegister>(operand.index), bytes);
      default:
        return number_of(0);
    }
  }
  [[nodiscard]] static bool fits(const Interval& value, unsigned bytes) {
    const Interval all = all_of(bytes);
    return value.empty() || (value.least >= all.least && value.most <= all.most);
  }
  /// How many threads a block has along x, y or z: all of them between these.
  [[nodiscard]] Interval threads(std::size_t along) const {
    if (!block_) return {1, 1024};
    return number_of((*block_)[along]);
  }
  [[nodiscard]] Interval special(SpecialRegister which, unsigned bytes) const {
    switch (which) {
      case SpecialRegister::tid_x:
        return {0, threads(0).most - 1};
      case SpecialRegister::tid_y:
        return {0, threads(1).most - 1};
      case SpecialRegister::tid_z:
        return {0, threads(2).most - 1};
      case SpecialRegister::ntid_x:
        return threads(0);
      case SpecialRegister::ntid_y:
        return threads(1);
      case SpecialRegister::ntid_z:
        return threads(2);
      case SpecialRegister::ctaid_x:
      case SpecialRegister::ctaid_y:
      case SpecialRegister::ctaid_z:
        return {0, std::numeric_limits<std::int32_t>::max() - 1};
      case SpecialRegister::nctaid_x:
      case SpecialRegister::nctaid_y:
      case SpecialRegister::nctaid_z:
        return {1, std::numeric_limits<std::int32_t>::max()};
      case SpecialRegister::laneid:
        return {0, 31};
      default:
        return all_of(bytes);
    }
  }
  [[nodiscard]] Truth truth(const Operand& operand) const {
    Truth value = either;
    if (operand.kind == Operand::Kind::immediate) value = {operand.bits != 0, operand.bits == 0};
    if (operand.kind == Operand::Kind::reg && is_predicate(operand.index)) value = truths_[operand.index];
    return operand.negated ? negated(value) : value;
  }

  [[nodiscard]] Interval loaded(const Instruction& i, unsigned bytes) const {
    const unsigned width = size_of(i.type);
    const bool parameter = i.space == Space::param && i.base.kind == Operand::Kind::none && i.vector == 1;
    for (const ParameterRange& range : ranges_) {
      if (!parameter || range.offset != static_cast<std::uint64_t>(i.offset) || range.bytes != width)
        continue;
      const Interval value = with_twos({range.least, range.most}, range.twos);
      // A number above the middle of an unsigned type is a negative one here.
      if (fits(value, width) && (is_signed(i.type) || value.least >= 0 || width == bytes)) return value;
    }
    return all_of(bytes);
  }

  [[nodiscard]] Interval converted(const Instruction& i, unsigned bytes) const {
    if (!is_integer(i.type) || !is_integer(i.type2) || i.saturate) return all_of(bytes);
    const Interval from = number(i.src[0], i.type2);
    const bool widens = size_of(i.type) > size_of(i.type2);
    if (from.empty()) return from;
    if (widens && !is_signed(i.type2) && from.least < 0) return all_of(bytes);
    if (!fits(from, size_of(i.type))) return all_of(bytes);
    return size_of(i.type) < bytes && !is_signed(i.type) && from.least < 0 ? all_of(bytes) : from;
  }

  void predicate(const Instruction& i, std::uint32_t to) {
    if (i.op == Opcode::setp && i.dst_count <= 2 && is_integer(i.type)) {
      const Interval a = number(i.src[0], i.type), b = number(i.src[1], i.type);
      if (a.empty() || b.empty()) return;
      const std::optional<bool> holds = compared(i.compare, i.type, a, b);
      Truth value = holds ? Truth{*holds, !*holds} : either;
      const bool second = i.dst[1].kind == Operand::Kind::reg && i.dst[1].index == to;
      if (second) value = negated(value);
      if (i.bool_op != BoolOp::none) value = combined(i.bool_op, value, truth(i.src[2]));
      if (!value.empty()) set(to, value);
      return;
    }
    if (i.op == Opcode::mov) return set(to, truth(i.src[0]));
    if (i.op == Opcode::not_) return set(to, negated(truth(i.src[0])));
    if (const BoolOp op = bool_op_of(i.op); op != BoolOp::none) {
      const Truth a = truth(i.src[0]), b = truth(i.src[1]);
      if (!a.empty() && !b.empty()) set(to, combined(op, a, b));
      return;
    }
    set(to, either);
  }

  void integer(const Instruction& i, std::uint32_t to) {
    const unsigned bytes = bytes_of(to);
    if (i.op == Opcode::ld) return set(to, loaded(i, bytes));
    if (i.op == Opcode::cvt) {
      if (const Interval value = converted(i, bytes); !value.empty()) set(to, value);
      return;
    }
    if (i.op == Opcode::cvta) {
      // Of global memory the address is the same in both spaces; null stays null.
      const Interval from = number(i.src[0], Type::u64);
      if (from.empty()) return;
      return set(to, i.space == Space::global && from.least >= 0 ? from : all_of(bytes));
    }
    if (!is_integer(i.type)) return set_anything(to);
    const Interval a = number(i.src[0], i.type);
    const Type third = i.mul_mode == MulMode::wide ? program_.registers[to] : i.type;
    const bool shift = i.op == Opcode::shl || i.op == Opcode::shr;
    const Interval b = number(i.src[1], shift ? Type::u32 : i.type), c = number(i.src[2], third);
    if (i.op == Opcode::selp) {
      const Truth chosen = truth(i.src[2]);
      Interval value;
      if (chosen.yes) value = joined(value, a);
      if (chosen.no) value = joined(value, b);
      if (!value.empty()) set(to, value);
      return;
    }
    if (a.empty() || b.empty() || c.empty()) return;
    // The upper part of a wider register is what the type says, or not said.
    const unsigned own = i.mul_mode == MulMode::wide ? bytes : std::max(size_of(i.type), 1U);
    const Interval value = result_of(i, own, a, b, c);
    set(to, own < bytes && !is_signed(i.type) && value.least < 0 ? all_of(bytes) : value);
  }

  void pass(std::uint32_t block) {
    for (std::uint32_t at = graph_.start(block); at < graph_.end(block); ++at) {
      const Instruction& i = program_.code[at];
      const Truth guard = i.guard.kind == Operand::Kind::none ? Truth{true, false} : truth(i.guard);
      if (at + 1 == graph_.end(block)) leave(block, i, guard);
      if (!guard.yes) continue;
      const bool one = i.dst_count == 1 || i.op == Opcode::setp;
      for_each_write(program_, i, [&](std::uint32_t to) {
        if (!one) return set_anything(to);
        if (is_predicate(to)) return predicate(i, to);
        integer(i, to);
      });
    }
  }

  void leave(std::uint32_t block, const Instruction& last, const Truth& guard) {
    const bool jumps = last.op == Opcode::bra || last.op == Opcode::brx;
    const bool ends = last.op == Opcode::ret || last.op == Opcode::exit || last.op == Opcode::trap;
    for (const std::uint32_t to : graph_.successors(block)) {
      const bool next = to == block + 1;
      const bool target = jumps && (last.op == Opcode::brx || graph_.block_of(last.target) == to);
      const bool goes = !jumps && !ends ? true : (target && guard.yes) || (next && guard.no);
      if (!goes || reached_[to]) continue;
      reached_[to] = true;
      changed_ = true;
    }
  }

  const Program& program_;
  std::span<const ParameterRange> ranges_;
  std::optional<std::array<std::uint32_t, 3>> block_;
  FlowGraph graph_;
  std::vector<Interval> numbers_;  ///< by register
  std::vector<Truth> truths_;      ///< by register, of predicates
  std::vector<unsigned> growths_;  ///< by register
  std::vector<bool> reached_;      ///< by block
  bool changed_ = false;
};

}  // namespace

std::vector<bool> reachable_code(const Program& program, std::span<const ParameterRange> ranges,
                                 std::optional<std::array<std::uint32_t, 3>> block) {
  return Analysis(program, ranges, block).run();
}

}  // namespace evo::evaluators::virtual_device::ptx
