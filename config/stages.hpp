// The stages of a problem.yaml. Apart from load_problem(), since only `evo diagnose` reads them.
#pragma once

#include <string>
#include <vector>

#include "model/error.hpp"
#include "model/stage.hpp"

namespace evo::config {

/// Stages of FOLDER/problem.yaml, in the file's order; none where it declares none.
[[nodiscard]] model::Expected<std::vector<model::Stage>> load_stages(const std::string& problem_folder);

}  // namespace evo::config
