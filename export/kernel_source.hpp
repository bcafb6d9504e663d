// NAME.cu: a variant's source with its genes fixed, as nvcc takes it.
#pragma once

#include <string>

#include "export/exporter.hpp"

namespace evo::exporting {

/// The file, launch() included. Error: a launch plan that cannot be spelt in C++.
[[nodiscard]] model::Expected<std::string> kernel_file(const ExportRequest& request, const std::string& name);

/// `source` with the macros in its `#pragma unroll` lines replaced by what they stand for: NVRTC expands them
/// there, nvcc does not ("identifier is undefined").
[[nodiscard]] std::string with_plain_unrolls(const std::string& source);

}  // namespace evo::exporting
