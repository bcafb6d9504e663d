#include "terminal/barrier_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terminal/json_output.hpp"

namespace evo::terminal {
namespace {

using diagnose::BarrierFinding;
using diagnose::BarrierVerdict;

std::string reason_of(const BarrierFinding& finding) {
  switch (finding.verdict) {
    case BarrierVerdict::needed:
      return fmt::format("prevents {}", finding.reason);
    case BarrierVerdict::unseen:
      return fmt::format("prevents {} at the gate {}; the sanitize shapes show no race", finding.reason,
                         finding.gate);
    case BarrierVerdict::redundant:
      return "every gate passes without it";
    case BarrierVerdict::inert:
      return "the compiler makes the same code without it";
    case BarrierVerdict::unsettled:
      return fmt::format("without it: {} at the gate {} ({})", model::name_of(finding.status), finding.gate,
                         finding.reason);
  }
  return {};
}

bool has(const std::vector<BarrierFinding>& findings, BarrierVerdict verdict) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const BarrierFinding& finding) { return finding.verdict == verdict; });
}

}  // namespace

std::string barriers_text(const std::vector<BarrierFinding>& findings) {
  if (findings.empty()) return "barriers: there is none in the source\n";
  std::string text = "barriers, each taken out in turn\n";
  for (const BarrierFinding& finding : findings) {
    std::string barrier = finding.site.text.substr(0, finding.site.text.find('\n'));
    if (barrier.size() > 32) barrier = barrier.substr(0, 29) + "...";
    text += fmt::format("  line {:<5} {:<32} {:<9}  {}\n", finding.site.line, barrier,
                        diagnose::name_of(finding.verdict), reason_of(finding));
    for (const model::Evidence& evidence : finding.evidence)
      text += fmt::format("      {}:{}: {}\n", evidence.file, evidence.line, evidence.message);
  }
  if (has(findings, BarrierVerdict::redundant))
    text +=
        "redundant: on the shapes and inputs above. Two of them may stand in for each other: take out one at "
        "a time\n";
  if (has(findings, BarrierVerdict::unseen))
    text += "unseen: a hole in the sanitize shapes. Add one that reaches the accesses around that line\n";
  return text;
}

boost::json::array barriers_json(const std::vector<BarrierFinding>& findings) {
  boost::json::array list;
  for (const BarrierFinding& finding : findings) {
    list.push_back({{"line", finding.site.line},
                    {"text", finding.site.text},
                    {"verdict", diagnose::name_of(finding.verdict)},
                    {"status", model::name_of(finding.status)},
                    {"gate", finding.gate},
                    {"reason", finding.reason},
                    {"evidence", to_json(finding.evidence)}});
  }
  return list;
}

}  // namespace evo::terminal
