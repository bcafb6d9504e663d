// The stages of a problem.yaml: what `evo diagnose` can look into.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/stage.hpp"

namespace evo::config {

/// In the file's order; none where the problem declares none. Formulas are among `formulas`, unless that is
/// empty. Throws Invalid.
[[nodiscard]] std::vector<model::Stage> read_stages(const Reader& problem,
                                                    const std::vector<std::string>& formulas);

}  // namespace evo::config
