#include "evaluators/devices/virtual/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "model/half.hpp"

namespace evo::evaluators::virtual_device {
namespace {

using model::DType;
using model::TextureAddress;

bool gives_floats(const devices::TextureBinding& view) {
  return view.dtype == DType::f32 || view.dtype == DType::f16 || view.model.normalized_float;
}

const Texture* find(std::span<const Texture> textures, std::uint64_t handle) {
  for (std::size_t i = 0; i < textures.size(); ++i) {
    if (handle == texture_handle(textures[i].view.model.surface, i)) return &textures[i];
  }
  return nullptr;
}

std::string grid_text(bool layered, unsigned dimensions) {
  return fmt::format("{}D{}", dimensions, layered ? ", layered" : "");
}

/// Why the instruction cannot use it; empty: it can.
std::string objection(const Texture& texture, const Instruction& instruction) {
  const devices::TextureBinding& view = texture.view;
  const bool wants_surface = instruction.op == Opcode::surface;
  if (wants_surface != view.model.surface) {
    return fmt::format("{} is a {}, and this {}", view.name, view.model.surface ? "surface" : "texture",
                       wants_surface ? "accesses a surface" : "fetches from a texture");
  }
  const TextureForm& form = instruction.texture;
  if (form.dimensions != view.extent.dimensions || form.layered != view.model.layered) {
    return fmt::format("{} is {}, and this access is {}", view.name,
                       grid_text(view.model.layered, view.extent.dimensions),
                       grid_text(form.layered, form.dimensions));
  }
  if (wants_surface) return {};
  if (view.model.memory == model::TextureMemory::linear && !form.whole_coordinates) {
    return fmt::format(
        "{} lies in linear memory, where only tex1Dfetch reads; tex1D needs texture: {{memory: array}}",
        view.name);
  }
  if (view.model.memory == model::TextureMemory::array && form.whole_coordinates) {
    return fmt::format("{} lies in a CUDA array; tex1Dfetch reads linear memory: texture: {{memory: linear}}",
                       view.name);
  }
  const bool wants_floats = instruction.type == Type::f32;
  if (wants_floats != gives_floats(view)) {
    return fmt::format("{} gives {}, and this fetch wants {}", view.name,
                       gives_floats(view) ? "floating-point numbers" : "integers",
                       wants_floats ? "floating-point numbers" : "integers");
  }
  return {};
}

/// The coordinate in texels.
double in_texels(const model::TextureModel& model, double x, double size) {
  if (std::isnan(x)) return 0;
  if (!model.normalized) return std::clamp(x, -0x1p40, 0x1p40);
  if (model.address == TextureAddress::wrap) x = std::isinf(x) ? 0 : x - std::floor(x);
  if (model.address == TextureAddress::mirror) x = std::isinf(x) ? 0 : x - 2 * std::floor(x / 2);
  return std::clamp(x * size, -0x1p40, 0x1p40);
}

/// nullopt: it reads as zero.
std::optional<std::int64_t> at_edge(TextureAddress address, std::int64_t i, std::int64_t size) {
  if (i >= 0 && i < size) return i;
  switch (address) {
    case TextureAddress::border:
      return std::nullopt;
    case TextureAddress::wrap:
      return (i % size + size) % size;
    case TextureAddress::mirror: {
      const std::int64_t m = (i % (2 * size) + 2 * size) % (2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    default:
      return std::clamp<std::int64_t>(i, 0, size - 1);
  }
}

/// The texels of one dimension that a fetch reads: one, or two with their weights.
struct Taps {
  std::array<std::optional<std::int64_t>, 2> at{};
  std::array<double, 2> weight{1, 0};
  unsigned count = 1;
};

Taps taps_of(const model::TextureModel& model, double x, std::int64_t size) {
  const double texels = in_texels(model, x, static_cast<double>(size));
  Taps taps;
  if (model.filter == model::TextureFilter::point) {
    taps.at[0] = at_edge(model.address, static_cast<std::int64_t>(std::floor(texels)), size);
    return taps;
  }
  const double shifted = texels - 0.5, whole = std::floor(shifted);
  constexpr double steps = 256;
  const double fraction = std::floor((shifted - whole) * steps + 0.5) / steps;
  const auto first = static_cast<std::int64_t>(whole);
  taps.at = {at_edge(model.address, first, size), at_edge(model.address, first + 1, size)};
  taps.weight = {1 - fraction, fraction};
  taps.count = 2;
  return taps;
}

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double fraction_of(double value, double most) {
  return std::max(value / most, -1.0);
}

double float_element(const devices::TextureBinding& view, const std::byte* from) {
  switch (view.dtype) {
    case DType::f32:
      return static_cast<double>(read<float>(from));
    case DType::f16:
      return model::double_from_half(read<std::uint16_t>(from));
    case DType::u8:
      return fraction_of(read<std::uint8_t>(from), 255);
    case DType::i8:
      return fraction_of(read<std::int8_t>(from), 127);
    case DType::u16:
      return fraction_of(read<std::uint16_t>(from), 65535);
    case DType::i16:
      return fraction_of(read<std::int16_t>(from), 32767);
    default:
      return 0;
  }
}

/// Extended to a register, as the type has its sign.
std::uint32_t raw_element(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::u8:
      return read<std::uint8_t>(from);
    case DType::i8:
      return static_cast<std::uint32_t>(std::int32_t{read<std::int8_t>(from)});
    case DType::u16:
      return read<std::uint16_t>(from);
    case DType::i16:
      return static_cast<std::uint32_t>(std::int32_t{read<std::int16_t>(from)});
    default:
      return read<std::uint32_t>(from);
  }
}

}  // namespace

const Texture* usable_texture(std::span<const Texture> textures, const Instruction& instruction,
                              std::uint64_t handle) {
  const Texture* texture = find(textures, handle);
  return texture != nullptr && objection(*texture, instruction).empty() ? texture : nullptr;
}

std::string texture_fault(std::span<const Texture> textures, const Instruction& instruction,
                          std::uint64_t handle) {
  if (const Texture* texture = find(textures, handle)) return objection(*texture, instruction);
  const std::string_view wanted = instruction.op == Opcode::surface ? "surface" : "texture";
  if (handle >> 56 == texture_tag >> 56 || handle >> 56 == surface_tag >> 56)
    return fmt::format("{:#x} is the handle of nothing that this launch has", handle);
  if (handle == 0) return fmt::format("0 is no handle of a {}", wanted);
  return fmt::format(
      "{:#x} is no handle of a {}: {} must be a parameter of the kernel that problem.yaml "
      "calls a {}",
      handle, wanted, wanted, wanted);
}

Fetched fetch(const Texture& texture, const Instruction& instruction,
              std::span<const std::uint64_t> sources) {
  const devices::TextureBinding& view = texture.view;
  const model::TextureExtent& extent = view.extent;
  const TextureForm& form = instruction.texture;
  std::size_t next = 1;
  std::int64_t layer = 0;
  if (form.layered) {
    layer = std::min<std::int64_t>(static_cast<std::uint32_t>(sources[next++]), extent.layers - 1);
  }
  std::array<Taps, 3> taps;
  for (unsigned d = 0; d < extent.dimensions; ++d) {
    const auto bits = static_cast<std::uint32_t>(sources[next + d]);
    if (form.whole_coordinates) {
      const auto x = static_cast<std::int32_t>(bits);
      taps[d].at[0] = at_edge(TextureAddress::border, x, extent.size[d]);
    } else {
      taps[d] = taps_of(view.model, static_cast<double>(std::bit_cast<float>(bits)), extent.size[d]);
    }
  }
  for (unsigned d = extent.dimensions; d < 3; ++d) taps[d].at[0] = 0;
  const auto element_bytes = static_cast<std::size_t>(model::size_of(view.dtype));
  const auto channels = static_cast<std::size_t>(view.model.channels);
  const bool exact =
      view.model.filter == model::TextureFilter::point && (view.dtype == DType::f32 || !gives_floats(view));
  std::array<double, 4> sums{};
  Fetched result;
  for (unsigned z = 0; z < taps[2].count; ++z) {
    for (unsigned y = 0; y < taps[1].count; ++y) {
      for (unsigned x = 0; x < taps[0].count; ++x) {
        const auto &at_x = taps[0].at[x], &at_y = taps[1].at[y], &at_z = taps[2].at[z];
        if (!at_x || !at_y || !at_z) continue;
        const std::int64_t texel =
            ((layer * extent.size[2] + *at_z) * extent.size[1] + *at_y) * extent.size[0] + *at_x;
        const std::uint64_t offset = static_cast<std::uint64_t>(texel) * view.texel_bytes();
        if (result.address == 0) result.address = texture.base + offset;
        const double weight = taps[0].weight[x] * taps[1].weight[y] * taps[2].weight[z];
        for (std::size_t c = 0; c < channels; ++c) {
          const std::byte* element = texture.data + offset + c * element_bytes;
          if (exact) {
            result.values[c] = raw_element(view.dtype, element);
          } else if (weight != 0) {
            sums[c] += weight * float_element(view, element);
          }
        }
      }
    }
  }
  for (std::size_t c = 0; !exact && c < channels; ++c)
    result.values[c] = std::bit_cast<std::uint32_t>(static_cast<float>(sums[c]));
  return result;
}

SurfacePlace place_in(const Texture& surface, const Instruction& instruction,
                      std::span<const std::uint64_t> sources) {
  const devices::TextureBinding& view = surface.view;
  const model::TextureExtent& extent = view.extent;
  const TextureForm& form = instruction.texture;
  const auto width = static_cast<std::int64_t>(size_of(instruction.type)) * instruction.vector;
  const std::int64_t row = extent.size[0] * static_cast<std::int64_t>(view.texel_bytes());
  const auto coordinate = [&](std::size_t place) {
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(sources[place]))};
  };
  SurfacePlace place;
  place.inside = true;
  const auto bounded = [&](std::int64_t value, std::int64_t last) {
    if (value >= 0 && value <= last) return value;
    if (form.edge != SurfaceEdge::clamp) place.inside = false;
    return std::clamp<std::int64_t>(value, 0, std::max<std::int64_t>(last, 0));
  };
  std::size_t next = 1;
  // A layer has no edge to clamp to: it is an index, and unsigned.
  std::int64_t slice = 0;
  if (form.layered) {
    const auto layer = static_cast<std::int64_t>(static_cast<std::uint32_t>(sources[next++]));
    if (layer >= extent.layers && form.edge != SurfaceEdge::clamp) place.inside = false;
    slice = std::min(layer, extent.layers - 1);
  }
  std::array<std::int64_t, 3> at{};
  at[0] = bounded(coordinate(next), row - width);
  for (unsigned d = 1; d < extent.dimensions; ++d) at[d] = bounded(coordinate(next + d), extent.size[d] - 1);
  slice = slice * extent.size[2] + at[2];
  place.address = surface.base + static_cast<std::uint64_t>((slice * extent.size[1] + at[1]) * row + at[0]);
  place.fault = !place.inside && form.edge == SurfaceEdge::trap;
  return place;
}

std::string surface_text(const Texture& surface, const Instruction& instruction,
                         std::span<const std::uint64_t> sources) {
  const devices::TextureBinding& view = surface.view;
  std::string text = view.name + " (" + std::to_string(view.extent.size[0]);
  for (unsigned d = 1; d < view.extent.dimensions; ++d) text += fmt::format("x{}", view.extent.size[d]);
  text += fmt::format(" texels of {} bytes", view.texel_bytes());
  std::size_t next = 1;
  if (instruction.texture.layered) text += fmt::format(", {} layers", view.extent.layers);
  text += "): ";
  if (instruction.texture.layered)
    text += fmt::format("layer {}, ", static_cast<std::uint32_t>(sources[next++]));
  static constexpr std::array<std::string_view, 3> names{"byte", "row", "slice"};
  for (unsigned d = 0; d < view.extent.dimensions; ++d) {
    text += fmt::format("{}{} {}", d == 0 ? "" : ", ", names[d],
                        static_cast<std::int32_t>(static_cast<std::uint32_t>(sources[next + d])));
  }
  return text;
}

}  // namespace evo::evaluators::virtual_device
