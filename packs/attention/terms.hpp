// The oracle's words, by the names that they have at home.
#pragma once

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/stages.hpp"

namespace evo::packs::attention {

using namespace evaluators::oracle;

}  // namespace evo::packs::attention
