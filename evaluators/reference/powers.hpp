// References whose powers are computed as most kernels compute them.
#pragma once

#include <string>

namespace evo::evaluators::reference {

/// Defines the device function evo_power: of two floats exp2f(y * log2f(x)) where x is above 0, of all else
/// pow. How far off a kernel's own is follows how it rounds the exponent, so this one is off by a drawn share
/// of what it may be: two units of exp2f (CUDA C++ Programming Guide, mathematical functions) and |y log2 x|
/// roundings of the exponent.
[[nodiscard]] const char* definition_of_powers();

/// `source` with evo_power(x, y) in place of each call of pow and powf, also std::pow and ::powf; `source`
/// itself where there is none. x^y by exp2f(y * log2f(x)) is off by up to 4 + |y log2 x| units of 2^-24,
/// powf by a few.
[[nodiscard]] std::string with_powers_by_exp2(const std::string& source);

}  // namespace evo::evaluators::reference
