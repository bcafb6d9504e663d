// Macros of a file that stand for code: #define ADD(T, NAME) __global__ void NAME(const T* x, ...) { ... }.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evo::intake {

/// The text with calls of macros that make kernels replaced by what they stand for, each on its line. Calls
/// of other macros in it stay.
[[nodiscard]] std::string with_macro_kernels(const std::string& source);

/// The text with calls of macros in which the word stands, or a macro in which it does, replaced by what they
/// stand for: "blockIdx" of CUDA_KERNEL_LOOP(i, n). `definitions`: the texts that define them.
[[nodiscard]] std::string with_macros_saying(std::string_view word, const std::string& text,
                                             const std::vector<std::string>& definitions);

}  // namespace evo::intake
