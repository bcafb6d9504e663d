// `comparators` of a problem. Throws Invalid.
#pragma once

#include <filesystem>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// None where the section is missing. Python files stand in `folder`.
[[nodiscard]] std::vector<model::Comparator> read_comparators(const Reader& root,
                                                              const std::filesystem::path& folder);

}  // namespace evo::config
