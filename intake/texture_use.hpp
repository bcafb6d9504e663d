// What a kernel's text does with a texture or surface object: a parameter of that type says nothing itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "intake/types.hpp"

namespace evo::intake {

enum class ObjectKind : std::uint8_t { none, texture, surface };
/// Of a parameter's type, as its text has it.
[[nodiscard]] ObjectKind object_kind(std::string_view type);

struct TextureUse {
  unsigned dimensions = 0;  ///< 0: no access was found
  bool layered = false;
  bool whole = false;  ///< tex1Dfetch
  bool read = false, written = false;
  ElementType element{};  ///< dtype and lanes; empty: no access says it
};

/// The accesses of the object `name` in `code`.
[[nodiscard]] TextureUse texture_use(std::string_view code, const std::string& name);

/// "texture(linear, clamp, channels=4)" as the key and its map; `text` is the whole flag, for messages.
/// Throws model::Exception (usage) for a word that is none of them, with the nearest.
struct TextureWords {
  std::string key, map;
};
[[nodiscard]] TextureWords read_texture_words(const std::string& text, const std::string& words);

}  // namespace evo::intake
