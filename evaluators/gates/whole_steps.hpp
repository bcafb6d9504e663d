// What PTX instructions make of whole numbers (PTX ISA, 9.7.1, 9.7.6 to 9.7.9), for those that sizes go
// through.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evo::evaluators::gates {

/// Is it one of whole_step()?
[[nodiscard]] bool is_whole_step(std::string_view opcode);

/// What a parameter is behind `ld.param`, of its type's size.
[[nodiscard]] std::optional<std::uint64_t> loaded_whole(std::string_view opcode, std::uint64_t value);

/// Of operands in their order, of which the low bits count that the instruction's type has; a predicate is 0
/// or 1. nullopt: a division by 0, or an instruction that is none of these.
[[nodiscard]] std::optional<std::uint64_t> whole_step(std::string_view opcode,
                                                      std::span<const std::uint64_t> operands);

}  // namespace evo::evaluators::gates
