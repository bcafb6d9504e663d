// The packs that this binary brings.
#pragma once

#include <span>
#include <string_view>

#include "packs/pack.hpp"

namespace evo::packs {

[[nodiscard]] std::span<const Pack> builtin();
/// Of those packs, which must not end before it: what is generic, then each pack's own.
[[nodiscard]] evaluators::oracle::Catalogue catalogue_of(std::span<const Pack> packs);
/// The pack with this oracle; nullptr where none has it.
[[nodiscard]] const Pack* find_pack(std::span<const Pack> packs, std::string_view oracle);

}  // namespace evo::packs
