// Textures and surfaces: an array argument that the kernel does not see as a pointer, but through an object
// (cudaTextureObject_t, cudaSurfaceObject_t).
//
// A texture is read with coordinates, and the hardware finds, converts and mixes the texels; a surface is
// read and written by place. The array itself is row-major without gaps: layers, depth, height, width,
// channels, from the outermost dimension to the innermost one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/dtype.hpp"

namespace evo::model {

enum class TextureFilter : std::uint8_t { point, linear };
/// What coordinates beyond the edge read: the edge, the other end, the mirrored image, or zero.
enum class TextureAddress : std::uint8_t { clamp, wrap, mirror, border };
/// Where the texels lie: in a CUDA array (tex1D, tex2D, tex3D, all surfaces), or in linear memory
/// (tex1Dfetch).
enum class TextureMemory : std::uint8_t { array, linear };

/// How a kernel sees the array. Surfaces use `channels` and `layered` alone.
struct TextureModel {
  bool surface = false;
  TextureFilter filter = TextureFilter::point;
  TextureAddress address = TextureAddress::clamp;
  TextureMemory memory = TextureMemory::array;
  bool normalized = false;        ///< coordinates go from 0 to 1
  bool normalized_float = false;  ///< integers are read as fractions of their range
  bool layered = false;           ///< the first dimension counts layers
  std::int64_t channels = 1;      ///< 2, 4: the last dimension of the shape, elements of one texel

  friend bool operator==(const TextureModel&, const TextureModel&) = default;
};

/// The grid of texels of an array.
struct TextureExtent {
  unsigned dimensions = 1;                    ///< 1 to 3, without layers and channels
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< width, height, depth, in texels
  std::int64_t layers = 0;                    ///< 0: it has none

  friend bool operator==(const TextureExtent&, const TextureExtent&) = default;
};

/// Dimensions of the grid that an array of this rank is; nullopt: the rank does not fit.
[[nodiscard]] std::optional<unsigned> texture_dimensions(const TextureModel& texture, std::size_t rank);
/// Of a shape whose rank fits.
[[nodiscard]] TextureExtent texture_extent(const TextureModel& texture, std::span<const std::int64_t> shape);
/// What no GPU takes: a size of zero or beyond the limits (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability": the least of compute capabilities 7.5 to 12.0), or channels that
/// the shape has not. nullopt: it is fine.
[[nodiscard]] std::optional<std::string> texture_objection(const TextureModel& texture,
                                                           std::span<const std::int64_t> shape);
/// Element types that texels are made of.
[[nodiscard]] bool is_texel_type(DType dtype);

[[nodiscard]] std::string_view name_of(TextureFilter filter);
[[nodiscard]] std::string_view name_of(TextureAddress address);
[[nodiscard]] std::string_view name_of(TextureMemory memory);

}  // namespace evo::model
