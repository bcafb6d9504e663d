// Files that the user names, and the kernels in them.
#pragma once

#include <string>
#include <vector>

#include "intake/signature.hpp"

namespace evo::intake {

/// Throws model::Exception(usage) naming the file and why it cannot be read.
[[nodiscard]] std::string read_user_file(const std::string& file);

/// All kernels that an entry means (the arms of conditionals): those of its name, with or without namespace;
/// an empty one means the only kernel of the file. Throws model::Exception(usage) listing the kernels, with
/// the nearest name; `option` is how one is named: "--entry".
[[nodiscard]] std::vector<KernelText> choose_kernel(const std::string& file, const std::string& source,
                                                    const std::string& entry, const std::string& option);

}  // namespace evo::intake
