#include "model/texture.hpp"

#include <fmt/format.h>

namespace evo::model {

std::optional<unsigned> texture_dimensions(const TextureModel& texture, std::size_t rank) {
  const std::size_t besides = (texture.layered ? 1U : 0U) + (texture.channels > 1 ? 1U : 0U);
  const std::size_t most = texture.memory == TextureMemory::linear ? 1 : texture.layered ? 2 : 3;
  if (rank <= besides || rank - besides > most) return std::nullopt;
  return static_cast<unsigned>(rank - besides);
}

TextureExtent texture_extent(const TextureModel& texture, std::span<const std::int64_t> shape) {
  TextureExtent extent;
  if (texture.channels > 1) shape = shape.first(shape.size() - 1);
  if (texture.layered) {
    extent.layers = shape.front();
    shape = shape.subspan(1);
  }
  extent.dimensions = static_cast<unsigned>(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) extent.size[d] = shape[shape.size() - 1 - d];
  return extent;
}

std::optional<std::string> texture_objection(const TextureModel& texture,
                                             std::span<const std::int64_t> shape) {
  if (texture.channels > 1 && shape.back() != texture.channels) {
    return fmt::format("the last dimension counts the channels of a texel: it is {}, channels is {}",
                       shape.back(), texture.channels);
  }
  const TextureExtent extent = texture_extent(texture, shape);
  std::array<std::int64_t, 3> most{131072, 65536, 1};
  if (extent.dimensions == 1 && texture.layered) most = {32768, 1, 1};
  if (extent.dimensions == 1 && texture.memory == TextureMemory::linear) most = {std::int64_t{1} << 28, 1, 1};
  if (extent.dimensions == 1 && texture.surface) most = {32768, 1, 1};
  if (extent.dimensions == 2 && texture.layered) most = {32768, 32768, 1};
  if (extent.dimensions == 3) most = {16384, 16384, 16384};
  static constexpr std::array<std::string_view, 3> names{"width", "height", "depth"};
  for (unsigned d = 0; d < extent.dimensions; ++d) {
    if (extent.size[d] < 1 || extent.size[d] > most[d])
      return fmt::format("the {} is {}; GPUs take 1 to {} texels", names[d], extent.size[d], most[d]);
  }
  constexpr std::int64_t most_layers = 2048;
  if (texture.layered && (extent.layers < 1 || extent.layers > most_layers))
    return fmt::format("{} layers; GPUs take 1 to {}", extent.layers, most_layers);
  return std::nullopt;
}

bool is_texel_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::f32:
    case DType::i8:
    case DType::u8:
    case DType::i16:
    case DType::u16:
    case DType::i32:
    case DType::u32:
      return true;
    default:
      return false;
  }
}

std::string_view name_of(TextureFilter filter) {
  return filter == TextureFilter::linear ? "linear" : "point";
}

std::string_view name_of(TextureAddress address) {
  switch (address) {
    case TextureAddress::wrap:
      return "wrap";
    case TextureAddress::mirror:
      return "mirror";
    case TextureAddress::border:
      return "border";
    default:
      return "clamp";
  }
}

std::string_view name_of(TextureMemory memory) {
  return memory == TextureMemory::linear ? "linear" : "array";
}

}  // namespace evo::model
