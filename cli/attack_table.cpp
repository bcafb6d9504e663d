#include "cli/attack_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/json_output.hpp"

namespace evo::cli {

AttackTotals count(const std::vector<AttackRow>& rows) {
  AttackTotals totals;
  for (const AttackRow& row : rows) {
    totals.unexpected += row.as_expected ? 0 : 1;
    if (row.attack.verdict == AttackVerdict::accept) {
      ++totals.controls;
      totals.accepted += row.gate.empty() ? 1 : 0;
      continue;
    }
    ++totals.attacks;
    if (row.not_run) {
      ++totals.not_run;
    } else if (row.gate.empty()) {
      ++totals.missed;
    } else {
      ++totals.caught;
      ++totals.by_gate[row.gate];
    }
  }
  return totals;
}

void print_attack_text(const std::vector<AttackRow>& rows, const std::string& device,
                       const std::string& what) {
  const AttackTotals totals = count(rows);
  std::size_t width = 26;
  for (const AttackRow& row : rows) width = std::max(width, row.attack.name.size());
  fmt::print("{:<8} {:<{}} {:<10} {:<12} {:<22} {:>7}  {}\n", "id", what, width, "template", "gate", "reason",
             "ms", "outcome");
  for (const AttackRow& row : rows) {
    fmt::print("{:<8} {:<{}} {:<10} {:<12} {:<22} {:>7.0f}  {}\n", row.attack.id, row.attack.name, width,
               row.attack.kernel.empty() ? "-" : row.attack.kernel, row.gate.empty() ? "-" : row.gate,
               row.reason.empty() ? "-" : row.reason, row.milliseconds, row.outcome);
    if (!row.attack.why.empty()) fmt::print("{:>8} because {}\n", "", row.attack.why);
    if (!row.as_expected && !row.message.empty()) fmt::print("{:>8} {}\n", "", row.message.substr(0, 300));
  }
  std::string gates;
  for (const auto& [gate, number] : totals.by_gate)
    gates += fmt::format("{}{} {}", gates.empty() ? "" : ", ", gate, number);
  const std::string elsewhere = totals.not_run > 0 ? fmt::format("; {} need a GPU", totals.not_run) : "";
  fmt::print("on {}: {} of {} {}s caught ({}){}; {} missed; {} of {} controls accepted; {} not as expected\n",
             device, totals.caught, totals.attacks, what, gates, elsewhere, totals.missed, totals.accepted,
             totals.controls, totals.unexpected);
}

void print_attack_json(const std::vector<AttackRow>& rows, const std::string& device) {
  const AttackTotals totals = count(rows);
  boost::json::array list;
  for (const AttackRow& row : rows) {
    list.push_back({{"id", row.attack.id},
                    {"attack", row.attack.name},
                    {"title", row.attack.title},
                    {"template", row.attack.kernel},
                    {"gate", row.gate.empty() ? boost::json::value(nullptr) : boost::json::value(row.gate)},
                    {"reason", row.reason},
                    {"outcome", row.outcome},
                    {"as_expected", row.as_expected},
                    {"not_run", row.not_run},
                    {"why", row.attack.why},
                    {"ms", row.milliseconds}});
  }
  print_json(boost::json::object{{"device", device},
                                 {"attacks", totals.attacks},
                                 {"caught", totals.caught},
                                 {"missed", totals.missed},
                                 {"not_run", totals.not_run},
                                 {"controls", totals.controls},
                                 {"accepted", totals.accepted},
                                 {"unexpected", totals.unexpected},
                                 {"fixtures", std::move(list)}});
}

}  // namespace evo::cli
