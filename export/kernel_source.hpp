// NAME.cu: a variant's source with its genes fixed, as nvcc takes it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "export/exporter.hpp"

namespace evo::exporting {

/// The file, launch() included. Error: a launch plan that cannot be spelt in C++.
[[nodiscard]] model::Expected<std::string> kernel_file(const ExportRequest& request, const std::string& name);

/// `text` with its `#include "FILE"` lines replaced by those of `files`, wherever they stand; a file that
/// says
/// `#pragma once` only the first time.
[[nodiscard]] std::string with_includes(const std::string& text,
                                        const std::map<std::string, std::string>& files);

/// `text` with each #include that neither the export (`own`: its files) nor the toolchain has in an #if
/// __has_include: a kernel of a framework was proven without the framework's headers, and nvcc alone finds
/// none.
[[nodiscard]] std::string with_optional_includes(const std::string& text, const std::set<std::string>& own);

/// `source` with the macros in its `#pragma unroll` lines replaced by what they stand for: NVRTC expands them
/// there, nvcc does not ("identifier is undefined").
[[nodiscard]] std::string with_plain_unrolls(const std::string& source);

}  // namespace evo::exporting
