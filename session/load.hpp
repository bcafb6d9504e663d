// Configuration for verbs: errors become model::Exception(invalid_configuration) with file and line.
#pragma once

#include <string>
#include <vector>

#include "config/loader.hpp"

namespace evo::session {

[[nodiscard]] config::SearchPath search_path();
[[nodiscard]] model::Experiment load_experiment_or_throw(const std::string& file,
                                                         const config::Overrides& overrides);
[[nodiscard]] model::Problem load_problem_or_throw(const std::string& name);
/// --set texts; a text without '=' is a usage error.
[[nodiscard]] config::Overrides parse_overrides(const std::vector<std::string>& texts);

/// `--set` of verbs that take a source: settings only (config::apply_overrides). Throws model::Exception.
void apply_overrides_or_throw(model::Experiment& experiment, const std::vector<std::string>& texts);

}  // namespace evo::session
