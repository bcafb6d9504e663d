// NAME.h: the launch plan of a variant as C++, and the function that launches it.
#pragma once

#include <string>
#include <vector>

#include "export/exporter.hpp"

namespace evo::exporting {

/// The header. It compiles with any C++17 compiler; what needs a CUDA type stands behind __has_include.
/// `cases`: the plans that were run, which the header checks itself against.
[[nodiscard]] model::Expected<std::string> write_plan(const ExportRequest& request, const std::string& name,
                                                      const std::vector<model::Case>& cases);

}  // namespace evo::exporting
