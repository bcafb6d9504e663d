#include "session/timed_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "evaluators/gates/paired.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;
namespace measure = evaluators::measure;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

void append(std::vector<double>& to, const std::vector<double>& from) {
  for (const double value : from) to.push_back(rounded_to(value, 7));
}

}  // namespace

std::string_view name_of(Decision decision) {
  switch (decision) {
    case Decision::promoted:
      return "promoted";
    case Decision::tie:
      return "tie";
    case Decision::correct_slower:
      return "correct_slower";
    case Decision::not_valid:
      return "not_valid";
  }
  return "?";
}

bool note_job(model::HeldClocks& clocks, const std::optional<GpuState>& state) {
  if (!state || !state->tells_throttle) clocks.watched = false;
  if (!state || state->throttle.empty()) return false;
  for (const std::string& reason : state->throttle) model::add_reasons(reason, clocks.reasons);
  const bool slowed = std::ranges::any_of(state->throttle, model::is_slowdown);
  if (slowed && clocks.discarded < most_discarded_jobs) {
    ++clocks.discarded;
    return true;
  }
  ++clocks.kept;
  return false;
}

double rounded_to(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

std::size_t TimedPairs::pairs() const {
  return series.empty() ? 0 : series.front().candidate_us.size();
}

measure::RatioInterval TimedPairs::ratio() const {
  const measure::RatioInterval unknown{not_known, {not_known, not_known}};
  if (series.empty() || !failure.empty()) return unknown;
  const std::size_t rounds = pairs(), load = std::max<std::size_t>(rounds_a_load, 1);
  std::vector<double> loads((rounds + load - 1) / load, 0.0);
  double weights = 0;
  for (const gates::PairedSeries& one : series) weights += one.weight;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::size_t first = i * load, last = std::min(first + load, rounds);
    for (const gates::PairedSeries& one : series) {
      if (one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return unknown;
      for (std::size_t k = first; k < last; ++k)
        loads[i] += one.weight / weights * std::log(one.candidate_us[k] / one.opponent_us[k]) /
                    static_cast<double>(last - first);
    }
  }
  if (kind == model::LatencyKind::measured) return measure::ratio_interval(loads, verdict_confidence);
  const double exact = std::exp(loads.front());
  return {exact, {exact, exact}};
}

Decision TimedPairs::decision_at(double margin, std::size_t fewest) const {
  if (!failure.empty() || series.empty()) return Decision::not_valid;
  if (kind == model::LatencyKind::measured && pairs() < fewest) return Decision::not_valid;
  const measure::RatioInterval all = ratio();
  if (!std::isfinite(all.interval[0]) || !std::isfinite(all.interval[1])) return Decision::not_valid;
  if (all.interval[1] < 1 - margin) return Decision::promoted;
  return all.interval[0] > 1 + margin ? Decision::correct_slower : Decision::tie;
}

bool TimedPairs::add(const std::vector<gates::PairedSeries>& more) {
  if (more.empty()) return false;
  const std::size_t rounds = more.front().candidate_us.size();
  for (const gates::PairedSeries& one : more) {
    if (rounds < 2 || one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return false;
  }
  if (series.empty()) {
    for (const gates::PairedSeries& one : more) series.push_back({one.workload, one.weight, {}, {}});
    rounds_a_load = gates::paired_rounds_a_load;
  }
  if (more.size() != series.size()) return false;
  for (std::size_t i = 0; i < more.size(); ++i) {
    append(series[i].candidate_us, more[i].candidate_us);
    append(series[i].opponent_us, more[i].opponent_us);
  }
  return true;
}

}  // namespace evo::session
