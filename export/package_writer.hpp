// CMakeLists.txt of an export.
#pragma once

#include <string>

#include "export/exporter.hpp"

namespace evo::exporting {

/// A package of one library, `NAME::NAME`, that find_package(NAME) finds once it is installed and
/// add_subdirectory() takes as it is; with the self-test as a test of CTest where there is one.
[[nodiscard]] std::string write_package(const ExportRequest& request, const std::string& name, bool selftest);

}  // namespace evo::exporting
