// What the questions to the compiler read of texts and of its messages.
#pragma once

#include <string>

namespace evo::intake {

/// The part of CUB that NVRTC compiles: a header's text.
[[nodiscard]] std::string cub_headers();

/// Functors that CUB had up to CUDA 12, and kernels still name: cub::Max.
inline constexpr const char* cub_names = "evo_cub_names.cuh";
[[nodiscard]] std::string cub_names_header();
/// Whether the compiler misses one of them.
[[nodiscard]] bool is_former_cub_name(const std::string& message);

/// What stands between the first pair of quotes of a message; empty where there is none.
[[nodiscard]] std::string quoted(const std::string& message);
/// What stands between the last pair.
[[nodiscard]] std::string last_quoted(const std::string& message);

/// Whether `name` stands for a number in the text: it is nowhere called, is no type and declares nothing.
[[nodiscard]] bool stands_for_number(const std::string& source, const std::string& name);

}  // namespace evo::intake
