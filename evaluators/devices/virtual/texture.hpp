// Textures and surfaces of the PTX machine: what a handle stands for, what a fetch gives, where a texel is.
//
// A handle is a tag and an index into Launch::textures. The tags fill the top byte, which no address uses
// (memory_map.hpp): a pointer is no handle, and a handle that is followed as a pointer leads nowhere.
//
// A fetch is a function of the coordinates and of an array that nothing writes while the launch runs. Rules
// and formulas are those of the CUDA C++ Programming Guide, "Texture Fetching": coordinates are scaled by the
// size where they are normalized; a point fetch takes texel floor(x); a linear one mixes the texels around
// x - 0.5 with weights of 8 fractional bits ("stored in 9-bit fixed point format with 8 bits of fractional
// value", so that 1.0 is exact). Which way hardware rounds to these bits is not documented; here it is to
// the nearest. wrap and mirror exist for normalized coordinates. tex1Dfetch beyond the end gives zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "evaluators/devices/kernel_arguments.hpp"
#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device {

/// One of a launch. Owned by whoever launches; `data` has all texels, row-major.
struct Texture {
  devices::TextureBinding view;
  std::uint64_t base = 0;  ///< address of the first texel
  const std::byte* data = nullptr;
};

constexpr std::uint64_t texture_tag = std::uint64_t{0x7e} << 56, surface_tag = std::uint64_t{0x5f} << 56;
/// What a kernel gets for the texture or surface at this place in Launch::textures.
[[nodiscard]] constexpr std::uint64_t texture_handle(bool surface, std::size_t index) {
  return (surface ? surface_tag : texture_tag) + ((index + 1) << 8);
}

/// What the handle stands for, if the instruction (tex or surface) may use it; null: texture_fault() says
/// why not.
[[nodiscard]] const Texture* usable_texture(std::span<const Texture> textures, const Instruction& instruction,
                                            std::uint64_t handle);
[[nodiscard]] std::string texture_fault(std::span<const Texture> textures, const Instruction& instruction,
                                        std::uint64_t handle);

/// `sources` are an instruction's, as it has them in registers: the handle, a layer, coordinates.
struct Fetched {
  std::array<std::uint32_t, 4> values{};  ///< zero for channels that the texture has not
  std::uint64_t address = 0;              ///< of a texel that was read, for counts; 0: none was
};
[[nodiscard]] Fetched fetch(const Texture& texture, const Instruction& instruction,
                            std::span<const std::uint64_t> sources);

/// Where a surface access goes.
struct SurfacePlace {
  std::uint64_t address = 0;
  bool inside = false;  ///< false: a load gives zero, a store does nothing
  bool fault = false;   ///< .trap, beyond the edge
};
[[nodiscard]] SurfacePlace place_in(const Texture& surface, const Instruction& instruction,
                                    std::span<const std::uint64_t> sources);
/// "img (64x32 texels): byte 256, row 32"
[[nodiscard]] std::string surface_text(const Texture& surface, const Instruction& instruction,
                                       std::span<const std::uint64_t> sources);

}  // namespace evo::evaluators::virtual_device
