#include "terminal/doctor_output.hpp"

#include <utility>

#include <fmt/format.h>

#include <boost/json.hpp>

namespace evo::terminal {

using evaluators::selftest::Check;

std::string machine_text(const std::vector<session::MachineCheck>& checks) {
  std::string text;
  for (const session::MachineCheck& check : checks) {
    text += fmt::format("{:<5} {:<18} {}\n", check.level, check.name, check.message);
    if (!check.fix.empty() && check.level != "ok") text += fmt::format("      {:<18} -> {}\n", "", check.fix);
  }
  return text;
}

boost::json::object machine_to_json(const std::vector<session::MachineCheck>& checks, bool ok) {
  boost::json::array list;
  for (const session::MachineCheck& check : checks) {
    list.push_back(
        {{"name", check.name}, {"level", check.level}, {"message", check.message}, {"fix", check.fix}});
  }
  return {{"ok", ok}, {"checks", std::move(list)}};
}

std::string selftest_text(const evaluators::selftest::Report& report, const std::string& problem,
                          const std::string& device) {
  std::string text;
  for (const Check& check : report.checks)
    text += fmt::format("{:<5} {:<28} {:>6.0f} ms  {}\n", check.pass ? "ok" : "FAIL", check.name,
                        check.milliseconds, check.message);
  return text + fmt::format("the evaluator of {} on {} is {}\n", problem, device,
                            report.pass() ? "sound" : "NOT sound");
}

boost::json::object selftest_to_json(const evaluators::selftest::Report& report, const std::string& device) {
  boost::json::array list;
  for (const Check& check : report.checks) {
    list.push_back({{"name", check.name},
                    {"level", check.pass ? "ok" : "fail"},
                    {"message", check.message},
                    {"fix", ""},
                    {"ms", check.milliseconds}});
  }
  return {{"ok", report.pass()}, {"device", device}, {"checks", std::move(list)}};
}

}  // namespace evo::terminal
