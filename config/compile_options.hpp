// Options of the compiler that a template may set: those that change the code of a kernel, and nothing else.
#pragma once

#include <string>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// One option, as NVRTC and nvcc spell it. Options that read or write files, choose the architecture or
/// switch evo's own off are Invalid, with the reason; unknown ones with the nearest that is known.
[[nodiscard]] std::string read_option(const Reader& reader);

/// A template's `options`. `-I FOLDER` of a folder beside problem.yaml adds its headers to kernel.headers, so
/// that the compiler finds them in memory; `folder` is that of problem.yaml.
void read_options(const Reader& reader, const std::string& folder, model::Template& kernel);

}  // namespace evo::config
