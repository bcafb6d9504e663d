#include "engine/strategies/near_correct.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "model/edits.hpp"

namespace evo::engine {
namespace {

/// Near is what has at most this share of its elements wrong, or all of them by at most so many times what is
/// allowed: one tile, one row, one rounding. What is all zeros, or another function, is neither.
constexpr double most_wrong = 0.25;
constexpr double most_times = 10;
constexpr double not_said = std::numeric_limits<double>::infinity();

/// nullopt where the detail is missing or no number; a NaN is infinite.
std::optional<double> detail_number(const model::Evidence& evidence, std::string_view key) {
  for (const auto& [name, text] : evidence.details) {
    if (name != key) continue;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return std::isnan(value) ? not_said : value;
  }
  return std::nullopt;
}

bool is_near(const Nearness& nearness) {
  return nearness.wrong_share <= most_wrong || nearness.times_bound <= most_times;
}

/// Latencies by variant, of those that have one.
std::unordered_map<std::string_view, double> latencies_of(std::span<const TrialRecord> trials) {
  std::unordered_map<std::string_view, double> known;
  for (const TrialRecord& trial : trials) {
    if (const auto latency = trial.latency()) known.emplace(trial.variant, latency->microseconds);
  }
  return known;
}

}  // namespace

std::optional<Nearness> nearness_of(const TrialRecord& trial) {
  if (trial.status != model::Status::wrong && trial.status != model::Status::sanitizer_fail)
    return std::nullopt;
  if (trial.evidence.empty()) return std::nullopt;
  Nearness worst;
  for (const model::Evidence& evidence : trial.evidence) {
    if (evidence.kind != "mismatch" && evidence.kind != "unwritten" && evidence.kind != "non_finite")
      return std::nullopt;
    const auto share = detail_number(evidence, "wrong_share");
    if (!share) return std::nullopt;
    worst.wrong_share = std::max(worst.wrong_share, *share);
    worst.times_bound =
        std::max(worst.times_bound, detail_number(evidence, "times_bound").value_or(not_said));
  }
  return worst;
}

std::vector<const TrialRecord*> near_correct(std::span<const TrialRecord> trials, std::size_t limit) {
  struct Ranked {
    std::tuple<double, double, double, std::int64_t> rank;
    const TrialRecord* trial;
  };
  std::vector<Ranked> found;
  std::unordered_map<std::string_view, double> latencies;
  for (const TrialRecord& trial : trials) {
    const auto nearness = nearness_of(trial);
    if (!nearness || !is_near(*nearness) || model::edits_of(trial.genome).empty()) continue;
    if (latencies.empty()) latencies = latencies_of(trials);
    double expected = not_said;
    if (!trial.parents.empty()) {
      const auto parent = latencies.find(trial.parents.front());
      if (parent != latencies.end()) expected = parent->second * std::exp(trial.predicted_effect.value_or(0));
    }
    found.push_back({{nearness->wrong_share, nearness->times_bound, expected, -trial.index}, &trial});
  }
  std::ranges::sort(found, {}, &Ranked::rank);
  if (found.size() > limit) found.resize(limit);
  std::vector<const TrialRecord*> near;
  near.reserve(found.size());
  for (const Ranked& one : found) near.push_back(one.trial);
  return near;
}

source::Edits change_made(std::span<const TrialRecord> trials, const TrialRecord& trial) {
  source::Edits edits = model::edits_of(trial.genome);
  if (trial.parents.empty()) return edits;
  const auto parent = std::ranges::find(trials, trial.parents.front(), &TrialRecord::variant);
  if (parent == trials.end()) return edits;
  const source::Edits before = model::edits_of(parent->genome);
  std::erase_if(edits,
                [&](const source::Edit& edit) { return std::ranges::find(before, edit) != before.end(); });
  return edits;
}

}  // namespace evo::engine
