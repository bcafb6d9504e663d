// The statements of launch() that launch the kernels.
#pragma once

#include <string>
#include <vector>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

/// What the definition of launch() calls an argument: arg_NAME, so that none meets a name of ours.
[[nodiscard]] std::string defined_name(const model::Argument& argument);

/// All launches, each within its loops, to the function's end. Error: an expression that cannot be spelt in
/// C++.
[[nodiscard]] model::Expected<std::string> launches_code(
    const ExportRequest& request, const Names& names, const std::string& name,
    const std::vector<const model::LaunchModel*>& launches);

}  // namespace evo::exporting
