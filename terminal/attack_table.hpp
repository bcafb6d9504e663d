// The table of `evo bench --attacks` and `--bugs`: who caught what.
#pragma once

#include <string>
#include <vector>

#include "suites/results.hpp"

namespace evo::terminal {

/// `what` is a row: "attack" or "bug".
void print_attack_text(const std::vector<suites::AttackRow>& rows, const suites::AttackSeeds& seeds,
                       const std::string& device, const std::string& what);
void print_attack_json(const std::vector<suites::AttackRow>& rows, const suites::AttackSeeds& seeds,
                       const std::string& device);

}  // namespace evo::terminal
