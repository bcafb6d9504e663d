// A finding in words: the sentence that a kernel engineer reads, and the parts that it is made of.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "evaluators/devices/virtual/findings.hpp"

namespace evo::evaluators::virtual_device {

/// One sentence: who did what to which memory, where, and what it meets.
[[nodiscard]] std::string finding_text(const Launch& launch, const Finding& finding);

/// "shared", "global", ...; what a message calls it.
[[nodiscard]] std::string_view space_name(Space space);
/// "shared byte offset 128" or "Q byte offset 4096 (ends 4 bytes past its 4096 bytes)".
[[nodiscard]] std::string address_text(const Launch& launch, const Finding& finding);
/// As in the PTX text: "ld.shared.f32"; "instruction" where there is none.
[[nodiscard]] const std::string& opcode_text(const Program& program, std::uint32_t instruction);
/// File and line of the source; "" and 0 without line information.
[[nodiscard]] std::pair<std::string, int> source_of(const Program& program, std::uint32_t instruction);

}  // namespace evo::evaluators::virtual_device
