#include "terminal/attack_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terminal/json_output.hpp"

namespace evo::terminal {

void print_attack_text(const std::vector<suites::AttackRow>& rows, const suites::AttackSeeds& seeds,
                       const std::string& device, const std::string& what) {
  const suites::AttackTotals totals = suites::count(rows);
  const bool several = seeds.count > 1;
  std::size_t width = 26;
  for (const suites::AttackRow& row : rows) width = std::max(width, row.attack.name.size());
  fmt::print("{:<8} {:<{}} {:<10} {:<12} {:<22} {:>7}  {}outcome\n", "id", what, width, "template", "gate",
             "reason", "ms", several ? fmt::format("{:<12} ", "seeds") : "");
  for (const suites::AttackRow& row : rows) {
    const suites::AttackAttempt& shown = row.shown();
    const std::string so_many =
        several
            ? fmt::format("{:<12} ", fmt::format("{} of {}", row.expected_seeds(seeds.count), seeds.count))
            : "";
    fmt::print("{:<8} {:<{}} {:<10} {:<12} {:<22} {:>7.0f}  {}{}\n", row.attack.id, row.attack.name, width,
               row.attack.kernel.empty() ? "-" : row.attack.kernel, shown.gate.empty() ? "-" : shown.gate,
               shown.reason.empty() ? "-" : shown.reason, shown.milliseconds, so_many, shown.outcome);
    if (!row.attack.why.empty()) fmt::print("{:>8} because {}\n", "", row.attack.why);
    if (!shown.as_expected && several) fmt::print("{:>8} on input seed {}\n", "", shown.input_seed);
    if (!shown.as_expected && !shown.message.empty())
      fmt::print("{:>8} {}\n", "", shown.message.substr(0, 300));
  }
  std::string gates;
  for (const auto& [gate, number] : totals.by_gate)
    gates += fmt::format("{}{} {}", gates.empty() ? "" : ", ", gate, number);
  const std::string elsewhere = totals.not_run > 0 ? fmt::format("; {} need a GPU", totals.not_run) : "";
  fmt::print("on {}: {} of {} {}s caught ({}){}; {} missed; {} of {} controls accepted; {} not as expected\n",
             device, totals.caught, totals.attacks, what, gates, elsewhere, totals.missed, totals.accepted,
             totals.controls, totals.unexpected);
  if (several)
    fmt::print("on {} input seeds each (--seeds {} --input-seed {})\n", seeds.count, seeds.count,
               seeds.entropy);
}

void print_attack_json(const std::vector<suites::AttackRow>& rows, const suites::AttackSeeds& seeds,
                       const std::string& device) {
  const suites::AttackTotals totals = suites::count(rows);
  boost::json::array list;
  for (const suites::AttackRow& row : rows) {
    const suites::AttackAttempt& shown = row.shown();
    boost::json::array unexpected;
    for (const suites::AttackAttempt& attempt : row.attempts) {
      if (attempt.as_expected) continue;
      unexpected.push_back({{"input_seed", attempt.input_seed},
                            {"gate", attempt.gate},
                            {"reason", attempt.reason},
                            {"outcome", attempt.outcome}});
    }
    list.push_back(
        {{"id", row.attack.id},
         {"attack", row.attack.name},
         {"title", row.attack.title},
         {"template", row.attack.kernel},
         {"gate", shown.gate.empty() ? boost::json::value(nullptr) : boost::json::value(shown.gate)},
         {"reason", shown.reason},
         {"outcome", shown.outcome},
         {"as_expected", shown.as_expected},
         {"seeds", seeds.count},
         {"expected_seeds", row.expected_seeds(seeds.count)},
         {"unexpected_seeds", std::move(unexpected)},
         {"not_run", row.not_run},
         {"why", row.attack.why},
         {"ms", shown.milliseconds}});
  }
  print_json(boost::json::object{{"device", device},
                                 {"seeds", seeds.count},
                                 {"input_seed", seeds.entropy},
                                 {"attacks", totals.attacks},
                                 {"caught", totals.caught},
                                 {"missed", totals.missed},
                                 {"not_run", totals.not_run},
                                 {"controls", totals.controls},
                                 {"accepted", totals.accepted},
                                 {"unexpected", totals.unexpected},
                                 {"fixtures", std::move(list)}});
}

}  // namespace evo::terminal
