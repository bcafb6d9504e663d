// A rules file beside problem.yaml: causes and suspect lines that `evo diagnose` knows of this problem only.
#pragma once

#include <string>

#include "model/cause.hpp"

namespace evo::config {

/// Adds the file's rules and suspects behind those of `rules`. Throws Invalid; whether the facts that they
/// name can be observed, diagnose::rule_base() says.
void add_rules_file(const std::string& file, model::CauseRules& rules);

}  // namespace evo::config
