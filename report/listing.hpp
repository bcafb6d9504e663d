// Which trials of a very large run the document holds, decided in one walk over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/lead.hpp"
#include "engine/trial.hpp"

namespace evo::report {

/// More trials than this are no page that a browser opens.
inline constexpr std::size_t most_trials = 100'000;

/// Holds all trials while there are `most` or fewer. Of more it holds some 100 bytes each, and names about
/// `most` that are to be read again: the baseline, all that became the champion, the champion's ancestors,
/// the fastest, the first of each way to fail, and of the others each n-th.
class Listing {
 public:
  /// `band`: model::GateSettings::timing_resolution of the run.
  Listing(std::size_t most, double band) : most_(most), lead_(band) {}

  /// In index order.
  void add(engine::TrialRecord&& trial);
  [[nodiscard]] std::size_t trials() const { return index_.size(); }
  [[nodiscard]] bool holds_all() const { return trials() <= most_; }
  /// If holds_all(). They are given back before the next one is added.
  [[nodiscard]] std::vector<engine::TrialRecord> take() { return std::move(held_); }
  void give_back(std::vector<engine::TrialRecord> trials) { held_ = std::move(trials); }

  /// Of the variant's first trial; nullopt where it has none, or is no variant.
  [[nodiscard]] std::optional<double> latency_us(const std::string& variant) const;
  /// Of all trials up to this one; 0 for an index that was not taken in.
  [[nodiscard]] double device_seconds_until(std::int64_t index) const;
  /// Indices, ascending. `champion`: the index of the one that was proven; nullopt: as verdicts say.
  [[nodiscard]] std::vector<std::int64_t> wanted(std::optional<std::int64_t> champion) const;

 private:
  using Number = std::uint32_t;  ///< of a variant, or of a row
  static constexpr Number none = UINT32_MAX;
  struct Known {
    Number first_row = none;
    double latency_us = 0;  ///< of that row; 0 without one
  };

  Number number_of(const std::string& variant);
  void note_family(const engine::TrialRecord& trial);
  void note_fastest(const engine::TrialRecord& trial);
  void keep_ancestors(Number variant, std::vector<bool>& keep) const;
  [[nodiscard]] std::pair<const Number*, const Number*> parents_of(Number row) const;

  std::size_t most_;
  std::vector<engine::TrialRecord> held_;
  std::unordered_map<std::string, Number> numbers_;
  std::vector<Known> known_;  ///< by the variant's number
  // By row:
  std::vector<std::int64_t> index_;
  std::vector<Number> variant_, parents_end_;
  std::vector<bool> duplicates_;
  std::vector<double> device_until_;
  std::vector<Number> parents_;
  // What is kept whoever becomes champion:
  std::vector<Number> kept_;
  std::set<std::string> ways_;
  std::vector<std::pair<double, Number>> fastest_;  ///< a heap, the slowest on top
  engine::Lead lead_;
};

}  // namespace evo::report
