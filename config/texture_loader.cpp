#include "config/texture_loader.hpp"

#include <fmt/format.h>

#include "config/keys.hpp"

namespace evo::config {
namespace {

using model::DType;

bool is_small_integer(DType dtype) {
  return dtype == DType::i8 || dtype == DType::u8 || dtype == DType::i16 || dtype == DType::u16;
}

std::int64_t read_channels(const Reader& reader) {
  const auto key = reader.find("channels");
  if (!key) return 1;
  const std::int64_t channels = key->integer(1, 4);
  if (channels == 3) key->fail("a texel has 1, 2 or 4 elements");
  return channels;
}

model::TextureAddress read_address(const Reader& key) {
  const std::string name = key.choice({"clamp", "wrap", "mirror", "border"}, "address");
  if (name == "wrap") return model::TextureAddress::wrap;
  if (name == "mirror") return model::TextureAddress::mirror;
  return name == "border" ? model::TextureAddress::border : model::TextureAddress::clamp;
}

model::TextureModel read_sampling(const Reader& reader, const model::Argument& argument) {
  reader.expect_keys(key_names(texture_keys()));
  model::TextureModel texture;
  texture.channels = read_channels(reader);
  if (const auto layers = reader.find("layers")) texture.layered = layers->boolean();
  if (const auto normalized = reader.find("normalized")) texture.normalized = normalized->boolean();
  const auto read = reader.find("read");
  if (read && read->choice({"element", "normalized_float"}, "read") == "normalized_float") {
    texture.normalized_float = true;
    if (!is_small_integer(argument.dtype))
      read->fail(fmt::format("normalized_float is for i8, u8, i16 and u16; {} is {}", argument.name,
                             model::name_of(argument.dtype)));
  }
  const auto filter = reader.find("filter");
  if (filter && filter->choice({"point", "linear"}, "filter") == "linear") {
    texture.filter = model::TextureFilter::linear;
    if (!model::is_floating(argument.dtype) && !texture.normalized_float)
      filter->fail(
          fmt::format("only floating-point numbers are filtered: {} is {}; 8 and 16 bits can be read as "
                      "such (read: normalized_float)",
                      argument.name, model::name_of(argument.dtype)));
  }
  const auto address = reader.find("address");
  if (address) texture.address = read_address(*address);
  const bool repeats =
      texture.address == model::TextureAddress::wrap || texture.address == model::TextureAddress::mirror;
  if (repeats && !texture.normalized)
    address->fail(
        fmt::format("{} needs normalized: true; with coordinates in texels there are clamp and border",
                    model::name_of(texture.address)));
  const auto memory = reader.find("memory");
  if (memory && memory->choice({"array", "linear"}, "memory") == "linear") {
    texture.memory = model::TextureMemory::linear;
    // tex1Dfetch takes the number of a texel.
    for (const char* other : {"filter", "address", "normalized", "layers"}) {
      if (const auto key = reader.find(other)) key->fail("tex1Dfetch, which reads memory: linear, has none");
    }
  }
  return texture;
}

model::TextureModel read_access(const Reader& reader) {
  reader.expect_keys(key_names(surface_keys()));
  model::TextureModel surface;
  surface.surface = true;
  surface.channels = read_channels(reader);
  if (const auto layers = reader.find("layers")) surface.layered = layers->boolean();
  return surface;
}

}  // namespace

void refuse_texture(const Reader& reader, const std::string& why) {
  for (const char* key : {"texture", "surface"}) {
    if (const auto found = reader.find(key)) found->fail(why);
  }
}

void read_texture(const Reader& reader, model::Argument& argument) {
  const auto texture = reader.find("texture");
  const auto surface = reader.find("surface");
  if (!texture && !surface) return;
  if (texture && surface) {
    surface->fail(
        "an argument is one parameter, a texture or a surface: what a launch writes through a surface, it "
        "cannot read through a texture");
  }
  const Reader& key = texture ? *texture : *surface;
  if (texture && argument.role != model::ArgumentRole::input)
    texture->fail("kernels only read textures: its role is input; a surface is written, too");
  if (!model::is_texel_type(argument.dtype)) {
    reader.at("dtype").fail(fmt::format("texels are f16, f32, i8, u8, i16, u16, i32 or u32, not {}",
                                        model::name_of(argument.dtype)));
  }
  // What is zeroed before every launch would be copied into the array before every launch.
  for (const char* other : {"strides", "align", "symbol", "before", "zeroed"}) {
    if (const auto given = reader.find(other))
      given->fail(fmt::format("a {} has none: its texels lie in an array of the hardware's own",
                              texture ? "texture" : "surface"));
  }
  argument.texture = texture ? read_sampling(*texture, argument) : read_access(*surface);
  if (!model::texture_dimensions(*argument.texture, argument.shape.size())) {
    key.fail(
        fmt::format("a shape of {} dimensions is none of {}: [layers,] [depth, height,] width[, channels]",
                    argument.shape.size(), texture ? "a texture" : "a surface"));
  }
}

}  // namespace evo::config
