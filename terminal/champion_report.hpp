// What is told of a run's finalists.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "session/champion_proof.hpp"

namespace evo::terminal {

/// A paragraph for the report.
[[nodiscard]] std::string text_of(const session::Finalist& finalist);
/// {"variant", "valid", "gate", "reason", "evidence", "held_out", "robustness", "not_checked", "sanitizer"}
[[nodiscard]] boost::json::object to_json(const session::Finalist& finalist);

}  // namespace evo::terminal
