// What was seen of timings besides their figures: raw samples, what is unusual about them, clocks that were
// held down; and of ties, who kept or took the champion's place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "engine/lead.hpp"
#include "engine/trial.hpp"

namespace evo::report {

/// {"watched", "discarded", "kept", "reasons"}
[[nodiscard]] boost::json::object clocks_json(const model::HeldClocks& clocks);
/// {"clocks", "odd": [{"workload", "side", "words"}]}; null where nobody looked.
[[nodiscard]] boost::json::value timing_json(const std::optional<model::TimingNotes>& timing);
/// [{"workload", "side", "us": [...]}]
[[nodiscard]] boost::json::array samples_json(const std::vector<model::SampleSeries>& samples);
/// "nothing held them down", "thermal slowdown: 2 timings thrown away, 1 kept", "nobody could tell".
[[nodiscard]] std::string clocks_text(const model::HeldClocks& clocks);
/// "s512 candidate: bimodal, drifting; ..."; empty where nothing is odd.
[[nodiscard]] std::string odd_text(const model::TimingNotes& timing);

/// Sums over a run's trials, their comparisons included.
class RunTimings {
 public:
  void add(const engine::TrialRecord& trial);
  /// Timings that were thrown away, and that were kept although clocks were held down.
  [[nodiscard]] std::int64_t discarded() const { return discarded_; }
  [[nodiscard]] std::int64_t kept() const { return kept_; }
  /// Of the kept ones, those that more than another program disturbed; and timings beside which there was
  /// one.
  [[nodiscard]] std::int64_t kept_held_down() const { return kept_held_down_; }
  [[nodiscard]] std::int64_t disturbed() const { return disturbed_; }
  /// How many trials have odd samples, by word.
  [[nodiscard]] const std::map<std::string, std::int64_t>& odd() const { return odd_; }
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
  /// Measured timings, and those of them of which nobody could tell whether clocks were held down.
  [[nodiscard]] std::int64_t timings() const { return timings_; }
  [[nodiscard]] std::int64_t unwatched() const { return unwatched_; }

 private:
  std::int64_t discarded_ = 0, kept_ = 0, kept_held_down_ = 0, disturbed_ = 0, timings_ = 0, unwatched_ = 0;
  std::map<std::string, std::int64_t> odd_;
  std::vector<std::string> reasons_;
};
/// docs/reference/json.md, `timings`.
[[nodiscard]] boost::json::object to_json(const RunTimings& timings);
/// Lines for a person; empty where nothing was unusual.
[[nodiscard]] std::string timings_text(const RunTimings& timings);

[[nodiscard]] boost::json::object to_json(const engine::Tie& tie);
/// docs/reference/json.md, `ties`.
[[nodiscard]] boost::json::object to_json(const engine::TieHistory& ties);
/// How many there were, and the last few; empty without any.
[[nodiscard]] std::string ties_text(const engine::TieHistory& ties);

}  // namespace evo::report
