#include "report/class_output.hpp"

#include <cmath>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::report {
namespace {

namespace json = boost::json;

/// "promoted: 1.9x [1.8, 2.0] against the baseline there"
std::string worth(const session::ProvenThere& proven) {
  if (!proven.valid()) return fmt::format("refused by {} ({})", proven.failed_at, proven.reason);
  if (!proven.verdict) return "proven there, and not timed against the baseline";
  const session::FinalVerdict& verdict = *proven.verdict;
  if (!verdict.failure.empty())
    return fmt::format("{}: {}", session::name_of(verdict.decision()), verdict.failure);
  const auto ratio = verdict.ratio();
  std::string text = fmt::format("{}: {:.3f}x", session::name_of(verdict.decision()), 1 / ratio.ratio);
  if (std::isfinite(ratio.interval[0]) && verdict.kind == model::LatencyKind::measured)
    text += fmt::format(" [{:.3f}, {:.3f}]", 1 / ratio.interval[1], 1 / ratio.interval[0]);
  return text + " against the baseline there";
}

json::value proven_json(const std::optional<session::ProvenThere>& proven) {
  if (!proven) return nullptr;
  return json::object{{"variant", proven->trial.variant},
                      {"trial", proven->trial.index},
                      {"valid", proven->valid()},
                      {"gate", proven->failed_at},
                      {"reason", proven->reason},
                      {"final_verdict", proven->verdict ? json::value(session::to_json(*proven->verdict))
                                                        : json::value(nullptr)}};
}

}  // namespace

std::string classes_text(const std::vector<session::ClassOutcome>& classes) {
  std::string text;
  for (const session::ClassOutcome& own : classes) {
    text += fmt::format("on {}, of which {} trials were tried:{}\n", own.model, own.trials,
                        own.ended.empty() ? "" : " ended: " + own.ended);
    if (own.champion && !own.same())
      text += fmt::format("  its champion    {} (trial {}) {}\n", own.champion->trial.variant,
                          own.champion->trial.index, worth(*own.champion));
    if (own.run_champion)
      text += fmt::format("  the run's{} {} {}\n", own.same() ? ", also there" : " champion",
                          own.run_champion->trial.variant, worth(*own.run_champion));
  }
  return text;
}

json::array classes_json(const std::vector<session::ClassOutcome>& classes) {
  json::array all;
  for (const session::ClassOutcome& own : classes) {
    all.push_back(json::object{{"device", own.model},
                               {"trials", own.trials},
                               {"device_seconds", own.device_seconds},
                               {"ended", own.ended},
                               {"champion", proven_json(own.champion)},
                               {"run_champion", proven_json(own.run_champion)}});
  }
  return all;
}

}  // namespace evo::report
