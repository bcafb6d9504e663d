// What `check --barriers` and `validate --barriers` print.
#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "diagnose/barrier_audit.hpp"

namespace evo::terminal {

/// A line a barrier, and a sentence on what the redundant ones are worth.
[[nodiscard]] std::string barriers_text(const std::vector<diagnose::BarrierFinding>& findings);
[[nodiscard]] boost::json::array barriers_json(const std::vector<diagnose::BarrierFinding>& findings);

}  // namespace evo::terminal
