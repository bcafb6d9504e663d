#include "evaluators/devices/virtual/warp/pipes.hpp"

#include <cpuid.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "evaluators/devices/virtual/model/pipe_rates.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "evaluators/devices/virtual/semantics/shared_matrix.hpp"
#include "evaluators/devices/virtual/warp/expansions.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using Counts = devices::LaunchCounts;

/// Where arithmetic of this kind is executed.
std::uint64_t Counts::*arithmetic_pipe(const Instruction& i) {
  switch (i.op) {
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
      return &Counts::special;
    case Opcode::cvt:
      return &Counts::conversion;
    default:
      break;
  }
  switch (i.op == Opcode::setp || i.op == Opcode::set ? (i.type2 == Type::none ? i.type : i.type2) : i.type) {
    case Type::f32:
      return i.op == Opcode::mov || i.op == Opcode::selp ? &Counts::integer : &Counts::fp32;
    case Type::f64:
      return &Counts::fp64;
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return &Counts::fp16;
    default:
      return &Counts::integer;
  }
}

/// Null: counted elsewhere (memory), or free.
std::uint64_t Counts::*pipe_of(const Instruction& i) {
  switch (i.op) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::prefetch:
    case Opcode::cp_async:
    case Opcode::bulk_copy:
    case Opcode::tex:
    case Opcode::unsupported:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      return nullptr;
    case Opcode::mma:
    case Opcode::wmma_mma:
    case Opcode::wgmma:
      return &Counts::tensor;
    case Opcode::movmatrix:
      return &Counts::shuffles;
    case Opcode::atom:
    case Opcode::red:
      return &Counts::atomics;
    case Opcode::membar:
    case Opcode::cp_async_commit:
    case Opcode::cp_async_wait:
    case Opcode::proxy_fence:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::set_max_registers:
    case Opcode::bulk_commit:
    case Opcode::bulk_wait:
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::nanosleep:
    case Opcode::bar_warp:
    case Opcode::call_vprintf:
    case Opcode::call_assertfail:
      return &Counts::control;
    case Opcode::bar:
    case Opcode::bar_red:
      return &Counts::barriers;
    case Opcode::shfl:
      return &Counts::shuffles;
    case Opcode::vote:
    case Opcode::match:
    case Opcode::activemask:
    case Opcode::redux:
    case Opcode::elect:
      return &Counts::integer;
    default:
      return arithmetic_pipe(i);
  }
}

/// What an instruction counts for: one, or the tensor operations that it is worth. The unit is an m16n8k8
/// with 16-bit operands (1024 multiplications); 8-bit operands take half the time of 16-bit ones, tf32 twice
/// as long, and the hardware has no tile smaller than the unit.
std::uint64_t weight_of(const Instruction& i) {
  if (i.op == Opcode::wgmma) {
    // A warp's quarter. wgmma takes the tensor cores at their full rate, of which mma.sync, whose time is the
    // unit, reaches a share.
    const double units = 16.0 * i.warpgroup.n * semantics::row_bytes / (1024 * 2);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(units * mma_share_of_wgmma)));
  }
  if (i.op != Opcode::mma && i.op != Opcode::wmma_mma) return 1;
  const semantics::MatrixExtents e = semantics::extents_of(i.matrix.shape);
  constexpr std::uint64_t unit_bits = 1024 * 16;
  return std::max<std::uint64_t>(1, std::uint64_t{e.m} * e.n * e.k * size_of(i.matrix.a) * 8 / unit_bits);
}

void add_expansion(const Instruction& instruction, std::uint64_t times, Counts& counts) {
  const Expansion more = expansion_of(instruction);
  if (more.all() == 0) return;
  counts.warp_instructions += times * more.all();
  counts.fp32 += times * more.fp32;
  counts.fp64 += times * more.fp64;
  counts.integer += times * more.integer;
  counts.conversion += times * more.conversion;
  counts.special += times * more.special;
}

/// A wait for all copies: the warp stands until the last of them has come.
bool waits_for_all(const Instruction& i) {
  return (i.op == Opcode::cp_async_wait || i.op == Opcode::bulk_wait) &&
         (i.src_count == 0 || i.src[0].bits == 0);
}

// __builtin_cpu_supports has no name for it in clang 14.
bool have_lzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

}  // namespace

void count_pipes(const Code& code, const std::vector<std::uint64_t>& entries, Counts& counts) {
  for (std::size_t block = 0; block < code.blocks.size(); ++block) {
    const BasicBlock& range = code.blocks[block];
    counts.warp_instructions += entries[block] * range.length;
    for (std::uint32_t index = range.instruction; index < range.instruction + range.length; ++index) {
      const Instruction& instruction = code.program->code[index];
      if (const auto pipe = pipe_of(instruction)) counts.*pipe += entries[block] * weight_of(instruction);
      add_expansion(instruction, entries[block], counts);
      if (waits_for_all(instruction)) counts.async_waits += entries[block];
    }
  }
}

std::vector<model::LineCount> count_lines(const Code& code, const std::vector<std::uint64_t>& entries,
                                          const std::vector<Traffic>& traffic) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, model::LineCount> by_line;
  for (std::size_t block = 0; block < code.blocks.size(); ++block) {
    const BasicBlock& range = code.blocks[block];
    if (entries[block] == 0) continue;
    for (std::uint32_t index = range.instruction; index < range.instruction + range.length; ++index) {
      const SourceLine& source = code.program->code[index].source;
      model::LineCount& line = by_line[{source.file, source.line}];
      line.warp_instructions += entries[block];
      const Traffic& own = traffic[index];
      line.sectors += own.sectors;
      line.bank_conflicts += own.shared_wavefronts - std::min(own.shared_wavefronts, own.shared_accesses);
    }
  }
  std::vector<model::LineCount> lines;
  const std::vector<std::string>& files = code.program->files;
  for (auto& [where, line] : by_line) {
    const bool known = where.first > 0 && where.first < files.size();
    if (known) line.file = files[where.first];
    if (known) line.line = static_cast<int>(where.second);
    lines.push_back(std::move(line));
  }
  return lines;
}

bool have_wide_vectors() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && have_lzcnt();
}

}  // namespace evo::evaluators::virtual_device::warp
