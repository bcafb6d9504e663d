// Kernels that a macro of the file makes: #define ADD(T, NAME) __global__ void NAME(const T* x, ...) { ... }.
#pragma once

#include <string>

namespace evo::intake {

/// The text with calls of such macros replaced by what they stand for, each on its line. Calls of other
/// macros in it stay.
[[nodiscard]] std::string with_macro_kernels(const std::string& source);

}  // namespace evo::intake
