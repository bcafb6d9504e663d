// Opcodes with their modifiers, decoded apart from operands: one Form a spelling, cached by the lowering.
#pragma once

#include <array>
#include <string_view>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// How the operands of an instruction are written.
enum class Shape : std::uint8_t {
  plain,    ///< destinations then sources, typed by Form::dst and Form::src
  move,     ///< mov: also symbols, pack and unpack
  load,     ///< d, [a]
  store,    ///< [a], b
  atomic,   ///< d, [a], b{, c}
  reduce,   ///< [a], b
  address,  ///< [a]
  branch,   ///< label
  table,    ///< index, table
  call,
  barrier,     ///< {d,} barrier{, threads}{, predicate}
  async_copy,  ///< [shared], [global], size{, source size or ignore-src}{, cache policy}
  matrix,      ///< mma and its kin: lower_matrix.cpp
  mbarrier,    ///< lower_mbarrier.cpp
  texture,     ///< lower_texture.cpp
  surface,
  warpgroup,   ///< wgmma.mma_async: lower_warpgroup.cpp
  wait_group,  ///< wgmma.wait_group, setmaxnreg: one number
  bulk_copy,   ///< lower_bulk.cpp
  policy,      ///< createpolicy.fractional: policy{, fraction}
};

/// A spelling the machine knows: an instruction without operands, and what operands it takes.
struct Form {
  bool known = false;  ///< false: nothing else counts
  Instruction prototype;
  Shape shape = Shape::plain;
  std::uint8_t dst_count = 0;
  bool second_dst_optional = false;  ///< d|p
  std::uint8_t src_min = 0, src_max = 0;
  std::array<Type, 2> dst{};
  std::array<Type, 5> src{};  ///< what an immediate there is read as
};

/// Decodes "ld.global.v4.u32". An unknown opcode, an unknown modifier, or a modifier or type that the opcode
/// does not take gives a Form that is not known.
[[nodiscard]] Form decode_opcode(std::string_view spelling);

/// The machine's name of an opcode, for dumps: "and", "ld".
[[nodiscard]] std::string_view name_of(Opcode op);

}  // namespace evo::evaluators::virtual_device::ptx
