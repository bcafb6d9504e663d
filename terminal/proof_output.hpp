// What `evo validate` and `evo check` print of the kernel that went up the ladder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "diagnose/barrier_audit.hpp"
#include "model/problem.hpp"
#include "session/watch.hpp"

namespace evo::terminal {

/// {"valid", "status", "gate", "reason", "evidence", "gates" with their milliseconds, "not_checked",
/// "sanitizer", "correct_for" of a valid kernel, "oracle", "always_equal", "latency_us" and "latency_kind"
/// where something timed it, "barriers"}. `barriers`: nullopt where nobody audited them; the key is then
/// left out.
[[nodiscard]] boost::json::object proof_to_json(
    const session::WatchedProof& proof, const model::Problem& problem,
    const std::optional<std::vector<diagnose::BarrierFinding>>& barriers);

/// A line for each gate that was asked, then the first failure with its evidence, or what the kernel is
/// correct for and its latency. `what`: the kernel as the user named it; `device`: DeviceChoice::id.
[[nodiscard]] std::string proof_text(const session::WatchedProof& proof, const std::string& what,
                                     const std::string& device, const model::Problem& problem);

}  // namespace evo::terminal
