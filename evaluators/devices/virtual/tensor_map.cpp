#include "evaluators/devices/virtual/tensor_map.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/memory_map.hpp"

namespace evo::evaluators::virtual_device {
namespace {

constexpr std::uint64_t map_tag = std::uint64_t{0x3d} << 56;
constexpr std::size_t map_words = tensor_map_bytes / sizeof(std::uint64_t);

/// Which of the launch's maps the bytes name, or `maps` where they name none.
std::size_t map_index_of(const std::byte* bytes, std::size_t maps) {
  if (bytes == nullptr) return maps;
  for (std::size_t index = 0; index < maps; ++index) {
    const auto wanted = encoded_tensor_map(index);
    if (std::memcmp(bytes, wanted.data(), wanted.size()) == 0) return index;
  }
  return maps;
}

}  // namespace

std::uint32_t TensorMap::element_bytes() const {
  return static_cast<std::uint32_t>(model::size_of(plan.dtype));
}

std::uint32_t TensorMap::box_bytes() const {
  std::uint32_t bytes = element_bytes();
  for (const std::uint32_t side : plan.box) bytes *= side;
  return bytes;
}

std::array<std::byte, tensor_map_bytes> encoded_tensor_map(std::size_t index) {
  std::array<std::uint64_t, map_words> words{};
  for (std::size_t word = 0; word < map_words; ++word)
    words[word] = map_tag + ((std::uint64_t{index} + 1) << 8) + word;
  std::array<std::byte, tensor_map_bytes> bytes{};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

const std::byte* bytes_of_map(const Launch& launch, std::uint64_t address) {
  if (space_of(address) == Space::param) {
    const std::uint64_t offset = from_generic(Space::param, address);
    const std::uint64_t held = launch.parameters.size();
    return offset < held && tensor_map_bytes <= held - offset ? launch.parameters.data() + offset : nullptr;
  }
  const Region* const region = launch.memory->locate(address, tensor_map_bytes);
  return region == nullptr ? nullptr : region->data + (address - region->base);
}

const TensorMap* usable_tensor_map(std::span<const TensorMap> maps, const std::byte* bytes,
                                   unsigned dimensions) {
  const std::size_t index = map_index_of(bytes, maps.size());
  return index < maps.size() && maps[index].plan.sizes.size() == dimensions ? &maps[index] : nullptr;
}

std::string tensor_map_fault(std::span<const TensorMap> maps, const std::byte* bytes, unsigned dimensions) {
  const std::size_t index = map_index_of(bytes, maps.size());
  if (index < maps.size()) {
    return fmt::format("{} has {} dimensions, the instruction copies a box of {}", maps[index].plan.name,
                       maps[index].plan.sizes.size(), dimensions);
  }
  const bool zero = bytes != nullptr && std::all_of(bytes, bytes + tensor_map_bytes,
                                                    [](std::byte byte) { return byte == std::byte{}; });
  return zero ? "its bytes are zero: the array's address or strides allow no tensor map, so that the kernel "
                "has to copy in another way"
              : "there is none at this address: a map is a parameter of the kernel that is const "
                "__grid_constant__, and its address is taken of the parameter itself";
}

std::vector<BoxRow> rows_of(const TensorMap& map, std::span<const std::int32_t> coordinates) {
  const model::TensorMapPlan& plan = map.plan;
  const std::uint32_t element = map.element_bytes();
  const std::size_t dimensions = plan.sizes.size();
  const auto clamped = [&](std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, plan.box[0]));
  };
  const std::int64_t x = coordinates[0];
  BoxRow row;
  row.bytes = plan.box[0] * element;
  const std::uint32_t first = clamped(-x) * element;
  const std::uint32_t last = clamped(static_cast<std::int64_t>(plan.sizes[0]) - x) * element;
  const std::uint32_t count = map.box_bytes() / row.bytes;
  std::vector<BoxRow> rows;
  rows.reserve(count);
  for (std::uint32_t number = 0; number < count; ++number) {
    row.at = number * row.bytes;
    row.first = row.last = 0;
    std::uint64_t address = map.base + static_cast<std::uint64_t>(x * element) + first;
    bool inside = first < last;
    std::uint32_t rest = number;
    for (std::size_t d = 1; d < dimensions; ++d) {
      const std::int64_t at = std::int64_t{coordinates[d]} + rest % plan.box[d];
      rest /= plan.box[d];
      inside = inside && at >= 0 && static_cast<std::uint64_t>(at) < plan.sizes[d];
      address += static_cast<std::uint64_t>(at) * plan.strides[d - 1];
    }
    if (inside) {
      row.first = first;
      row.last = last;
      row.address = address;
    }
    rows.push_back(row);
  }
  return rows;
}

Type reduction_type(const TensorMap& map) {
  switch (map.plan.dtype) {
    case model::DType::f16:
      return Type::f16;
    case model::DType::bf16:
      return Type::bf16;
    case model::DType::f32:
      return Type::f32;
    case model::DType::f64:
      return Type::f64;
    case model::DType::i32:
      return Type::s32;
    case model::DType::u32:
      return Type::u32;
    case model::DType::i64:
      return Type::s64;
    case model::DType::u64:
      return Type::u64;
    default:
      return Type::none;
  }
}

}  // namespace evo::evaluators::virtual_device
