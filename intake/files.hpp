// Files that the user names, and the kernels in them.
#pragma once

#include <string>
#include <vector>

#include "intake/signature.hpp"

namespace evo::intake {

/// Throws model::Exception(usage) naming the file and why it cannot be read.
[[nodiscard]] std::string read_user_file(const std::string& file);

/// The .cu files beside it that have an #include of it.
[[nodiscard]] std::vector<std::string> files_including(const std::string& file);

/// The text of a file whose kernels stand in files that it includes (bfs.cu with #include "kernel.cu"): those
/// in the places of their #include lines, so that what stands in front of them is known there. Only if the
/// file itself has no kernel of that name; "": no kernel at all. `put`: what was put in.
[[nodiscard]] std::string with_included_kernels(const std::string& file, std::string source,
                                                const std::string& entry, std::vector<std::string>& put);

/// All kernels that an entry means (the arms of conditionals): those of its name, with or without namespace;
/// an empty one means the only kernel of the file. Throws model::Exception(usage) listing the kernels, with
/// the nearest name; `option` is how one is named: "--entry".
[[nodiscard]] std::vector<KernelText> choose_kernel(const std::string& file, const std::string& source,
                                                    const std::string& entry, const std::string& option);

}  // namespace evo::intake
