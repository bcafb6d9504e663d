// A Program as text, for people and golden files. Not PTX: one line an instruction, everything resolved.
#pragma once

#include <string>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// "12: @!%p1 ld.global.f32 %f1 = [%rd2+16]  ; 34". Branch targets are instruction indices, "L" marks block
/// starts.
[[nodiscard]] std::string dump(const Program& program);
[[nodiscard]] std::string dump(const Program& program, const Instruction& instruction);

}  // namespace evo::evaluators::virtual_device::ptx
