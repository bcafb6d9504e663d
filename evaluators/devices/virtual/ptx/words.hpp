// Words of PTX that mean the same everywhere: types, special registers.
#pragma once

#include <optional>
#include <string_view>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// ".u32" -> Type::u32; Type::none for what is no type, or one that the machine does not have.
[[nodiscard]] Type type_from_word(std::string_view word);
/// "u32"; "none".
[[nodiscard]] std::string_view name_of(Type type);

/// "%tid.x", with `component` empty when there is no dot.
[[nodiscard]] std::optional<SpecialRegister> special_from_word(std::string_view word,
                                                               std::string_view component);
/// "%tid.x"
[[nodiscard]] std::string_view name_of(SpecialRegister special);

}  // namespace evo::evaluators::virtual_device::ptx
