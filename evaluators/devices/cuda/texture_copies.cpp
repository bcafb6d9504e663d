// CudaDevice: a buffer and its texture and surface objects.
#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/cuda/device_state.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

Outcome<std::uint64_t> CudaDevice::State::texture_handle(const devices::BufferArgument& argument) {
  Buffer& viewed = buffers.at(argument.buffer);
  const auto known = std::ranges::find_if(
      viewed.textures, [&](const TextureObject& each) { return each.binding() == *argument.texture; });
  if (known != viewed.textures.end()) return known->handle();
  const std::string action = fmt::format(
      "making the {} of {}", argument.texture->model.surface ? "surface" : "texture", viewed.name);
  auto made = TextureObject::make(context->driver_pointer(), *argument.texture);
  if (!made) return tl::unexpected(check(made.error(), action).error());
  const CUresult filled = made->fill(driver(), viewed.base(), context->stream());
  if (auto ok = check(filled, action); !ok) {
    if (context->loss()) made->abandon();
    return tl::unexpected(ok.error());
  }
  viewed.textures.push_back(std::move(*made));
  return viewed.textures.back().handle();
}

Outcome<void> CudaDevice::State::fill_textures(const Buffer& written) {
  for (const TextureObject& texture : written.textures) {
    const CUresult filled = texture.fill(driver(), written.base(), context->stream());
    if (auto ok = check(filled, "writing the texels of " + written.name); !ok) return ok;
  }
  return {};
}

Outcome<void> CudaDevice::State::bring_back_surfaces(const Buffer& read) {
  for (const TextureObject& texture : read.textures) {
    if (!texture.binding().model.surface) continue;
    const CUresult copied = texture.bring_back(driver(), read.base(), context->stream());
    if (auto ok = check(copied, "reading the texels of " + read.name); !ok) return ok;
  }
  return {};
}

}  // namespace evo::evaluators::cuda
