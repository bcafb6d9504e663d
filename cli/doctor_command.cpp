// evo doctor: what this machine can do, and what to install.
#include <fmt/format.h>

#include "cli/doctor_evaluator.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "session/machine_checks.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int doctor_command(const Options& options) {
  if (options.doctor.evaluator) return doctor_evaluator(options);
  bool ok = true;
  boost::json::array list;
  for (const session::MachineCheck& check : session::check_machine()) {
    ok = ok && check.level != "fail";
    list.push_back(
        {{"name", check.name}, {"level", check.level}, {"message", check.message}, {"fix", check.fix}});
    if (options.common.json) continue;
    fmt::print("{:<5} {:<18} {}\n", check.level, check.name, check.message);
    if (!check.fix.empty() && check.level != "ok") fmt::print("      {:<18} -> {}\n", "", check.fix);
  }
  if (options.common.json) terminal::print_json(boost::json::object{{"ok", ok}, {"checks", std::move(list)}});
  return static_cast<int>(ok ? model::ExitCode::done : model::ExitCode::environment);
}

}  // namespace evo::cli
