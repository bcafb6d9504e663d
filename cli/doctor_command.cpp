// evo doctor: what this machine can do, and what to install.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/doctor_evaluator.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "session/machine_checks.hpp"
#include "terminal/doctor_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int doctor_command(const Options& options) {
  if (options.doctor.evaluator) return doctor_evaluator(options);
  const std::vector<session::MachineCheck> checks = session::check_machine();
  const bool ok = std::ranges::none_of(checks, [](const auto& check) { return check.level == "fail"; });
  if (options.common.json) {
    terminal::print_json(terminal::machine_to_json(checks, ok));
  } else {
    fmt::print("{}", terminal::machine_text(checks));
  }
  return static_cast<int>(ok ? model::ExitCode::done : model::ExitCode::environment);
}

}  // namespace evo::cli
