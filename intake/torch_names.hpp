// What kernels of PyTorch extensions take from its headers, which evo has not.
#pragma once

#include <string>

#include "intake/host_code.hpp"

namespace evo::intake {

/// Name of the header in the place of PyTorch's.
inline constexpr const char* torch_names = "evo_torch.cuh";

/// The text with its first #include of ATen, c10 or torch turned into one of torch_names, if it, or `user`, a
/// text that includes it, mentions something of them that the stand-in has; else as it is. Lines keep their
/// numbers.
[[nodiscard]] std::string with_torch_names(const std::string& source, const std::string& user = {});

/// The header's text: macros for loops and for host and device, types of 16 bits, atomic additions.
[[nodiscard]] std::string torch_header();

}  // namespace evo::intake
