#include "evaluators/devices/virtual/coverage.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "evaluators/devices/virtual/ptx/lower.hpp"
#include "evaluators/devices/virtual/ptx/reachable_blocks.hpp"

namespace evo::evaluators::virtual_device {
namespace {

/// Accesses whose faults the checks would have to see: parameters and constants are not among them, those of
/// device functions neither.
bool worth_running(const Program& program, const Instruction& instruction) {
  if (is_matrix(instruction.op)) return true;
  const std::string& text = program.texts[instruction.text];
  if (text.starts_with("st.param") || text.starts_with("ld.param")) return false;
  // Where a recursion was followed far enough, nothing has to go deeper.
  if (text.starts_with(ptx::recursion_text)) return false;
  switch (instruction.op) {
    case Opcode::ld:
    case Opcode::st:
      return instruction.space != Space::param && instruction.space != Space::constant;
    case Opcode::bulk_copy:
      return instruction.bulk.mode != BulkMode::prefetch;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
    case Opcode::cp_async_wait:
    case Opcode::bulk_wait:
    case Opcode::tex:
    case Opcode::surface:
    case Opcode::bar:
    case Opcode::bar_red:
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::wgmma:
    case Opcode::wgmma_wait:
    case Opcode::unsupported:
      return true;
    default:
      return false;
  }
}

/// What the source asked for at one place: file, line, column, opcode. The compiler may make several copies
/// of it (an unrolled body and its remainder, both sides of a hoisted condition), some of which no launch can
/// reach.
using Access = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

Access access_of(const Instruction& instruction) {
  if (instruction.source.file == 0) return {0, instruction.ptx_line, 0, instruction.text};
  return {instruction.source.file, instruction.source.line, instruction.source.column, instruction.text};
}

/// Calls `visit` for every access in the blocks that did (or did not) run.
template <class Visit>
void for_each_access(const Program& program, std::span<const std::uint8_t> executed, bool ran, Visit visit) {
  for (std::size_t b = 0; b < program.block_starts.size() && b < executed.size(); ++b) {
    if ((executed[b] != 0) != ran) continue;
    const std::size_t end =
        b + 1 < program.block_starts.size() ? program.block_starts[b + 1] : program.code.size();
    for (std::size_t i = program.block_starts[b]; i < end; ++i) {
      if (worth_running(program, program.code[i])) visit(program.code[i]);
    }
  }
}

/// The slow way of sin, cos and tan, for arguments beyond 10^5, which the compiler puts into the line that
/// calls them: it reads 2/pi from a table of its own and keeps digits in local memory.
class TrigonometricTables {
 public:
  explicit TrigonometricTables(const Program& program) {
    for (const DataSymbol& symbol : program.data_symbols) {
      if (symbol.name.starts_with("__cudart_i2opi")) tables_.push_back(&symbol);
    }
    if (tables_.empty()) return;
    registers_.assign(program.registers.size(), false);
    for (bool more = true; more;) {
      more = false;
      for (const Instruction& i : program.code) more = follow(i) || more;
    }
    // The compiler gives parts of it the place of the call, and parts that of a variable that takes the
    // result.
    for (const Instruction& i : program.code) {
      const bool reads = i.op == Opcode::ld && i.base.kind == Operand::Kind::reg && registers_[i.base.index];
      if (reads || walks(i)) places_.insert(place_of(i));
    }
  }
  [[nodiscard]] bool owns(const Instruction& i) const {
    if (tables_.empty() || i.op == Opcode::atom || i.op == Opcode::red) return false;
    if (i.space == Space::local) return i.source.file != 0 && places_.contains(place_of(i));
    return i.op == Opcode::ld && i.base.kind == Operand::Kind::reg && registers_[i.base.index];
  }

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static Place place_of(const Instruction& i) { return {i.source.file, i.source.line, i.source.column}; }
  /// Makes an address in a table.
  [[nodiscard]] bool walks(const Instruction& i) const {
    if (i.op == Opcode::ld || i.op == Opcode::st || i.dst[0].kind != Operand::Kind::reg) return false;
    return std::ranges::any_of(i.src, [&](const Operand& source) {
      if (source.kind == Operand::Kind::reg) return bool{registers_[source.index]};
      return source.kind == Operand::Kind::immediate &&
             std::ranges::any_of(tables_,
                                 [&](const DataSymbol* table) { return source.bits == address_of(*table); });
    });
  }
  /// Whether a register is new among those with an address in a table.
  bool follow(const Instruction& i) {
    if (!walks(i) || registers_[i.dst[0].index]) return false;
    registers_[i.dst[0].index] = true;
    return true;
  }
  static std::uint64_t address_of(const DataSymbol& symbol) { return global_image_base + symbol.offset; }

  std::vector<const DataSymbol*> tables_;
  std::vector<bool> registers_;
  std::set<Place> places_;
};

/// Lines that ask for an opcode in several columns: there a line alone does not say which.
class Columns {
 public:
  explicit Columns(const Program& program) {
    for (const Instruction& instruction : program.code) {
      if (instruction.source.file != 0) columns_[key(instruction)].insert(instruction.source.column);
    }
  }
  [[nodiscard]] bool several(const Instruction& instruction) const {
    const auto found = columns_.find(key(instruction));
    return found != columns_.end() && found->second.size() > 1;
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static Key key(const Instruction& instruction) {
    return {instruction.source.file, instruction.source.line, instruction.text};
  }
  std::map<Key, std::set<std::uint32_t>> columns_;
};

/// By instruction. What ran is within reach: where the ranges say otherwise they are wrong, and nothing is
/// left out.
std::vector<bool> reachable_beside(const Program& program, std::span<const std::uint8_t> executed,
                                   std::span<const ParameterRange> ranges,
                                   std::optional<std::array<std::uint32_t, 3>> block) {
  std::vector<bool> code = ptx::reachable_code(program, ranges, block);
  for (std::size_t b = 0; b < program.block_starts.size() && b < executed.size(); ++b) {
    if (executed[b] != 0 && !code[program.block_starts[b]]) {
      code.assign(code.size(), true);
      break;
    }
  }
  return code;
}

}  // namespace

std::vector<model::Evidence> unexecuted(const Program& program, std::span<const std::uint8_t> executed,
                                        std::span<const ParameterRange> ranges,
                                        std::optional<std::array<std::uint32_t, 3>> block) {
  std::set<Access> seen;
  for_each_access(program, executed, true, [&](const Instruction& i) { seen.insert(access_of(i)); });
  std::vector<model::Evidence> evidence;
  std::optional<Columns> columns;
  const TrigonometricTables tables(program);
  std::optional<std::vector<bool>> reachable;  // by instruction
  for_each_access(program, executed, false, [&](const Instruction& instruction) {
    if (tables.owns(instruction) || seen.contains(access_of(instruction))) return;
    if (!reachable) reachable = reachable_beside(program, executed, ranges, block);
    if (!(*reachable)[static_cast<std::size_t>(&instruction - program.code.data())]) return;
    seen.insert(access_of(instruction));
    const bool has_line = instruction.source.file != 0;
    model::Evidence item;
    item.kind = "unexecuted";
    if (has_line) {
      item.file = program.files[instruction.source.file];
      item.line = static_cast<int>(instruction.source.line);
    }
    std::string where = has_line ? fmt::format("line {}", instruction.source.line)
                                 : fmt::format("PTX line {}", instruction.ptx_line);
    if (!columns) columns.emplace(program);
    if (has_line && columns->several(instruction))
      where += fmt::format(" from column {} on", instruction.source.column);
    item.message = fmt::format("No thread executed {} ({}): what it does was not checked.", where,
                               program.texts[instruction.text]);
    item.details.emplace_back("ptx_line", std::to_string(instruction.ptx_line));
    evidence.push_back(std::move(item));
  });
  return evidence;
}

}  // namespace evo::evaluators::virtual_device
