// README.md of an export.
#pragma once

#include <string>

#include "export/exporter.hpp"

namespace evo::exporting {

/// How to build, call and check NAME, with the variant's own architecture, options, axes and arguments, for
/// whoever gets the folder without evo.
[[nodiscard]] std::string write_readme(const ExportRequest& request, const std::string& name, bool selftest);

}  // namespace evo::exporting
