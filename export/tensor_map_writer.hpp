// The part of NAME.h that makes a launch's tensor maps.
#pragma once

#include <string>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

/// A function make_MAP(axes, array, &map) for each map, in the plan's namespace; empty without tensor maps.
/// The kernel's parameters have the type TensorMap of kernels/common/evo_tma.cuh, which is exported beside
/// the source.
[[nodiscard]] model::Expected<std::string> write_tensor_maps(const ExportRequest& request,
                                                             const Names& names);

}  // namespace evo::exporting
