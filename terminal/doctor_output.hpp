// What `evo doctor` prints, of the machine and, with --evaluator, of the evaluator.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "evaluators/selftest/selftest.hpp"
#include "session/machine_checks.hpp"

namespace evo::terminal {

/// A line a check, and what to do where it is not ok.
[[nodiscard]] std::string machine_text(const std::vector<session::MachineCheck>& checks);
/// {"ok", "checks": [{"name", "level", "message", "fix"}]}
[[nodiscard]] boost::json::object machine_to_json(const std::vector<session::MachineCheck>& checks, bool ok);

/// A line a check with its milliseconds, then whether the evaluator is sound. `problem`: its name; `device`:
/// DeviceChoice::id.
[[nodiscard]] std::string selftest_text(const evaluators::selftest::Report& report,
                                        const std::string& problem, const std::string& device);
/// {"ok", "device", "checks": [{"name", "level", "message", "fix", "ms"}]}
[[nodiscard]] boost::json::object selftest_to_json(const evaluators::selftest::Report& report,
                                                   const std::string& device);

}  // namespace evo::terminal
