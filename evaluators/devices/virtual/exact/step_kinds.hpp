// What an instruction is to the interpreter: which kind of step, which arithmetic, how strong an access.
#pragma once

#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Does it change while a thread runs?
[[nodiscard]] bool is_clock(SpecialRegister special);

/// `function`: the arithmetic of the instruction, or null. StepKind::unsupported where it has neither that
/// nor a kind of its own.
[[nodiscard]] StepKind kind_of(const Instruction& instruction, semantics::ScalarFunction function);

/// The arithmetic of an atomic, on the old value and the operand; null for exch, cas, inc and dec.
/// `arithmetic` becomes the instruction that does it.
[[nodiscard]] semantics::ScalarFunction atomic_function(Instruction& arithmetic, const Instruction& atomic);

/// How far what is strong in this scope reaches.
[[nodiscard]] Strength reach_of(Scope scope);

/// Of an access. Atomics are relaxed and reach the GPU where they say nothing (PTX ISA, atom).
[[nodiscard]] Strength strength_of(const Instruction& instruction);

}  // namespace evo::evaluators::virtual_device::exact
