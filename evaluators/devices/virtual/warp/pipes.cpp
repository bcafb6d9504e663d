#include "evaluators/devices/virtual/warp/pipes.hpp"

#include <cpuid.h>

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
    case Opcode::unsupported:
      return nullptr;
    case Opcode::atom:
    case Opcode::red:
      return &Counts::atomics;
    case Opcode::membar:
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
      if (const auto pipe = pipe_of(code.program->code[index])) counts.*pipe += entries[block];
    }
  }
}

bool have_wide_vectors() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && have_lzcnt();
}

}  // namespace evo::evaluators::virtual_device::warp
