// Which functions and variables a kernel reaches, and where the variables of the static spaces lie.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/ptx/ast.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// What a variable that is not on a frame stands for: its address in its space (module data in global memory:
/// the address itself).
struct Layout {
  std::vector<bool> used;              ///< by variable
  std::vector<std::uint64_t> address;  ///< by variable; spaces shared, constant, global only
  /// By variable: a .param of a call that is only ever loaded and stored whole, so that a register can hold
  /// it.
  std::vector<bool> in_register;
  std::vector<std::uint32_t> functions;  ///< reached from the entry, itself first
  /// Of those with a body, whose address stands in an instruction or in the initialiser of a variable: whom a
  /// call through a register may reach.
  std::vector<std::uint32_t> pointed_to;
};

/// What a pointer to a function of Module::functions holds: an address where nothing is (memory_map.hpp).
[[nodiscard]] constexpr std::uint64_t function_address(std::uint32_t function) {
  constexpr std::uint64_t slot = 14;
  return (slot << 36) + (std::uint64_t{1} << 35) + 16 * (std::uint64_t{function} + 1);
}

/// Fills the images, shared-memory fields and data symbols of `program`.
[[nodiscard]] Layout lay_out(const Module& module, std::uint32_t entry, Program& program);

[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace evo::evaluators::virtual_device::ptx
