// By whose word a variant is correct: the kinds of oracle of a problem, and what they make of "proven".
#pragma once

#include <string>

#include <boost/json.hpp>

#include "model/problem.hpp"

namespace evo::terminal {

/// {"kinds": ["expression", "kernel"], "claim": "proven"}; the claim is what holds of a variant that every
/// gate passed (model::oracle_claim).
[[nodiscard]] boost::json::object oracle_json(const model::Problem& problem);
/// "proven (one oracle): expression", a line without its end.
[[nodiscard]] std::string oracle_text(const model::Problem& problem);

}  // namespace evo::terminal
