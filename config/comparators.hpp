// `comparators` of a problem. Throws Invalid.
#pragma once

#include <filesystem>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// None where the section is missing. Python files stand in `folder`; kernels are among `templates`.
[[nodiscard]] std::vector<model::Comparator> read_comparators(const Reader& root,
                                                              const std::filesystem::path& folder,
                                                              const std::vector<model::Template>& templates);

}  // namespace evo::config
