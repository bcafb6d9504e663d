// Code of a file that is for another platform than CUDA.
#pragma once

#include <string>

namespace evo::intake {

/// Empties a first line "%%cuda", with which a cell of a notebook says who compiles it; whether there was
/// one.
[[nodiscard]] bool without_cell_magic(std::string& text);

/// `text` with empty lines for the branches of #if that are taken on GPUs of other makers alone
/// (__HIP_PLATFORM_AMD__, USE_ROCM and their like), in either sense of the condition; every other line stays
/// where it is. A function that has a head for each platform has two opening braces and one closing one: who
/// reads the text without a preprocessor would take the rest of the file for its body.
[[nodiscard]] std::string without_other_platforms(const std::string& text);

/// `text` whose conditions ask for __CUDACC__ where they ask for __NVCC__: nvcc defines both, NVRTC the first
/// alone.
[[nodiscard]] std::string as_for_nvcc(const std::string& text);

}  // namespace evo::intake
