// What the questions to the compiler read of texts and of its messages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "intake/host_code.hpp"

namespace evo::intake {

/// The part of CUB that NVRTC compiles: a header's text.
[[nodiscard]] std::string cub_headers();

/// Functors that CUB had up to CUDA 12, and kernels still name: cub::Max.
inline constexpr const char* cub_names = "evo_cub_names.cuh";
[[nodiscard]] std::string cub_names_header();
/// Whether the compiler misses one of them.
[[nodiscard]] bool is_former_cub_name(const std::string& message);

/// Loops over a grid that Caffe, MXNet, Paddle and their like define in headers of their own:
/// CUDA_KERNEL_LOOP.
inline constexpr const char* loop_names = "evo_kernel_loops.cuh";
[[nodiscard]] std::string loop_names_header();
/// Whether the compiler misses one of them.
[[nodiscard]] bool is_loop_name(const std::string& message);

/// Blanks in `text` the #include lines of host libraries; that of all of CUB becomes one of its part for
/// blocks and warps, which is added to `headers`. Whether anything changed.
bool without_host_headers(std::string& text, std::map<std::string, std::string>& headers,
                          std::vector<Cut>& cuts);

/// Of a template over a kernel's type, "k<void (*)(float const*, int)>": the types of the kernel's
/// parameters, from the mangled name. Empty where it cannot be read.
[[nodiscard]] std::vector<std::string> parameter_types(const std::string& mangled);

/// What stands between the first pair of quotes of a message; empty where there is none.
[[nodiscard]] std::string quoted(const std::string& message);
/// What stands between the last pair.
[[nodiscard]] std::string last_quoted(const std::string& message);

/// Whether `name` is a parameter of the template in which `line` lies: `template <class T, int N>`.
[[nodiscard]] bool is_template_parameter(const std::string& source, const std::string& name, int line);

/// Whether `name` stands for a number in the text: it is nowhere called, is no type and declares nothing.
[[nodiscard]] bool stands_for_number(const std::string& source, const std::string& name);

}  // namespace evo::intake
