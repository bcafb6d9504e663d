#include "evaluators/devices/virtual/ptx/dump.hpp"

#include <fmt/format.h>

#include <iterator>

#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

std::string_view name_of(Space space) {
  switch (space) {
    case Space::none:
      return "none";
    case Space::generic:
      return "generic";
    case Space::global:
      return "global";
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::constant:
      return "const";
    case Space::param:
      return "param";
  }
  return "?";
}

std::string text_of(const Program& program, const Operand& operand) {
  const char* sign = operand.negated ? "!" : "";
  switch (operand.kind) {
    case Operand::Kind::none:
      return "_";
    case Operand::Kind::reg:
      // Inlined functions bring registers of the same name: the index tells them apart.
      return fmt::format("{}{}#{}", sign, program.register_names[operand.index], operand.index);
    case Operand::Kind::immediate:
      return fmt::format("{}{:#x}", sign, operand.bits);
    case Operand::Kind::special:
      return std::string(ptx::name_of(static_cast<SpecialRegister>(operand.index)));
  }
  return "?";
}

bool has_address(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
    case Opcode::cp_async:
      return true;
    case Opcode::bulk_copy:
      return instruction.bulk.mode != BulkMode::prefetch;
    case Opcode::mbarrier:
      return instruction.mbarrier != MbarrierMode::pending_count;
    default:
      return false;
  }
}

}  // namespace

std::string dump(const Program& program, const Instruction& instruction) {
  std::string line;
  const auto out = std::back_inserter(line);
  if (instruction.guard.kind != Operand::Kind::none)
    fmt::format_to(out, "@{} ", text_of(program, instruction.guard));
  if (instruction.op == Opcode::unsupported) {
    fmt::format_to(out, "unsupported: {}", program.texts[instruction.text]);
    return line;
  }
  const std::string_view written = program.texts[instruction.text];
  const std::string_view name = ptx::name_of(instruction.op);
  line += written;
  if (!written.starts_with(name)) fmt::format_to(out, " <{}>", name);
  for (unsigned i = 0; i < instruction.dst_count; ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? " " : ", ", text_of(program, instruction.dst[i]));
  }
  if (instruction.dst_count > 0) line += " =";
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? " " : ", ", text_of(program, instruction.src[i]));
  }
  for (const Operand& value : program.matrix_destinations(instruction))
    fmt::format_to(out, " {}", text_of(program, value));
  if (instruction.matrix_dst > 0) line += " =";
  for (const Operand& value : program.matrix_sources(instruction))
    fmt::format_to(out, " {}", text_of(program, value));
  if (instruction.op == Opcode::lop3) fmt::format_to(out, ", table {:#x}", instruction.immediate);
  if (has_address(instruction)) {
    fmt::format_to(out, " {}[", name_of(instruction.space));
    if (instruction.base.kind != Operand::Kind::none) line += text_of(program, instruction.base);
    fmt::format_to(out, "{}{:#x}]", instruction.offset < 0 ? "-" : "+",
                   instruction.offset < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(instruction.offset)
                                          : static_cast<std::uint64_t>(instruction.offset));
  }
  if (instruction.op == Opcode::cp_async) {
    fmt::format_to(out, ", {} bytes from src + {:#x}", size_of(instruction.type) * instruction.vector,
                   instruction.immediate);
  }
  if (instruction.op == Opcode::bulk_copy) {
    fmt::format_to(out, ", src + {:#x}, mbarrier + {:#x}", instruction.immediate,
                   instruction.bulk.barrier_offset);
  }
  if (instruction.op == Opcode::bra) fmt::format_to(out, " -> {}", instruction.target);
  if (instruction.op == Opcode::brx) {
    fmt::format_to(out, " -> {}", fmt::join(program.branch_tables[instruction.table], ", "));
  }
  return line;
}

std::string dump(const Program& program) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "entry {} target {}\n", program.entry, program.target);
  for (const Parameter& parameter : program.parameters) {
    fmt::format_to(out, "param {} {} at {}, {} bytes, align {}\n", parameter.name,
                   ptx::name_of(parameter.type), parameter.offset, parameter.bytes, parameter.align);
  }
  fmt::format_to(out, "shared {} + dynamic (align {}), local {}, required threads {}, max threads {}\n",
                 program.static_smem, program.dynamic_smem_align, program.local_bytes,
                 program.required_threads, program.max_threads);
  for (const DataSymbol& symbol : program.data_symbols) {
    fmt::format_to(out, "data {} {} at {}, {} bytes{}\n", symbol.name, name_of(symbol.space), symbol.offset,
                   symbol.bytes, symbol.initialised ? ", initialised" : "");
  }
  std::size_t block = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const bool leads = block < program.block_starts.size() && program.block_starts[block] == i;
    if (leads) ++block;
    fmt::format_to(out, "{}{:5}: {}  ; {}:{}\n", leads ? "L" : " ", i, dump(program, instruction),
                   instruction.source.file, instruction.source.line);
  }
  return text;
}

}  // namespace evo::evaluators::virtual_device::ptx
