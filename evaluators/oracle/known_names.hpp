// The names of a catalogue that a problem file may use.
#pragma once

#include "evaluators/oracle/catalogue.hpp"
#include "model/known_names.hpp"

namespace evo::evaluators::oracle {

/// Oracles, input kinds with their parameters (those that every kind takes among them), stage formulas.
[[nodiscard]] model::KnownNames known_names(const Catalogue& known);

}  // namespace evo::evaluators::oracle
