// The parts of the rule base. Weights: 6 what all but proves the cause, 3 to 4 what few other causes do, 1 to
// 2 what merely fits.
#pragma once

#include <vector>

#include "diagnose/rules.hpp"

namespace evo::diagnose {

[[nodiscard]] std::vector<Rule> fault_rules();
[[nodiscard]] std::vector<Rule> result_rules();
[[nodiscard]] std::vector<Rule> arithmetic_rules();
[[nodiscard]] std::vector<Rule> text_rules();

}  // namespace evo::diagnose
