// Tensor maps of the PTX machine, and the boxes that bulk copies (TMA) move: CUDA driver API,
// cuTensorMapEncodeTiled; CUDA C++ Programming Guide, "Tensor Memory Accelerator".
//
// A box is box_bytes() consecutive bytes of shared memory, its rows one after the other, the contiguous
// dimension first. With a swizzle the 16-byte chunks change places: address bits 4 to 6 (128 bytes), 4 and 5
// (64) or 4 (32) are xor-ed with as many bits from bit 7 on. What lies outside of the tensor arrives as zeros
// and is not stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/instruction_set.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::virtual_device {

struct Launch;

/// One of a launch.
struct TensorMap {
  model::TensorMapPlan plan;
  std::uint64_t base = 0;  ///< address of element 0

  [[nodiscard]] std::uint32_t element_bytes() const;
  [[nodiscard]] std::uint32_t box_bytes() const;
};

/// The 128 bytes that a kernel takes. The machine's own form, which only it can make: PTX calls it opaque.
constexpr std::size_t tensor_map_bytes = 128;
[[nodiscard]] std::array<std::byte, tensor_map_bytes> encoded_tensor_map(std::size_t index);
/// What the kernel has at this generic address, in its parameters or in global memory; null: not that many
/// bytes.
[[nodiscard]] const std::byte* bytes_of_map(const Launch& launch, std::uint64_t address);
/// The map of a launch that these bytes name, if it has so many dimensions; null: tensor_map_fault() says why
/// not. `bytes` may be null: there is no memory.
[[nodiscard]] const TensorMap* usable_tensor_map(std::span<const TensorMap> maps, const std::byte* bytes,
                                                 unsigned dimensions);
[[nodiscard]] std::string tensor_map_fault(std::span<const TensorMap> maps, const std::byte* bytes,
                                           unsigned dimensions);

/// Consecutive bytes of global memory and where they are in the box.
struct BoxRow {
  std::uint32_t at = 0, bytes = 0;    ///< in the box, before the swizzle
  std::uint32_t first = 0, last = 0;  ///< of its bytes, those inside of the tensor: [first, last)
  std::uint64_t address = 0;          ///< of byte `first`
};
/// `coordinates` are those of the box's first element, the contiguous dimension first.
[[nodiscard]] std::vector<BoxRow> rows_of(const TensorMap& map, std::span<const std::int32_t> coordinates);

/// Where the chunk of 16 bytes that holds this byte of shared memory goes, and the byte with it. `swizzle` as
/// in TensorMapPlan.
[[nodiscard]] constexpr std::uint64_t swizzled(std::uint64_t address, std::uint32_t swizzle) {
  const std::uint64_t mask = swizzle == 128 ? 0x70 : swizzle == 64 ? 0x30 : swizzle == 32 ? 0x10 : 0;
  return address ^ (address >> 3 & mask);
}

/// The elements' type in arithmetic (cp.reduce.async.bulk.tensor); Type::none: none is defined.
[[nodiscard]] Type reduction_type(const TensorMap& map);

}  // namespace evo::evaluators::virtual_device
