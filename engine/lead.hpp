// Who is the champion of a run, trial by trial: who is faster, and of those that tie who is simpler.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// How far a variant is from the baseline and what it takes, compared in this order.
struct Simplicity {
  std::int64_t changed =
      0;              ///< genes that the baseline has not, or not with this value; another template is one
  int registers = 0;  ///< of a thread
  std::int64_t shared_bytes = 0;  ///< of a block, as the code declares them

  auto operator<=>(const Simplicity&) const = default;
};
[[nodiscard]] Simplicity simplicity_of(const TrialRecord& trial, const TrialRecord& baseline);
/// "3 genes, 40 registers, 4096 B shared".
[[nodiscard]] std::string text_of(const Simplicity& simplicity);

/// What is done about a tie with the champion.
enum class Ties : std::uint8_t {
  /// The champion with fewer edits of its text, or its very code under fewer edits, takes its place.
  fewer_edits,
  /// That, and with the same edits a simpler variant, where it is proven to be as fast.
  simplest,
};

/// A fold over trials from the first one on.
///
/// Ties never add up. Whoever is faster begins a new count; who takes its place by a tie is as fast as *that
/// one*, not only as whoever stood there last: exactly (modelled latencies), or by intervals whose upper
/// ends, all since then multiplied, stay within 1 + band, and a latency of its own within `drift`. So the
/// champion is at most the band slower than the fastest that any comparison of the run has proven.
class Lead {
 public:
  /// `band`: model::GateSettings::timing_resolution.
  explicit Lead(double band = model::GateSettings{}.timing_resolution, Ties ties = Ties::simplest)
      : band_(band), ties_(ties) {}

  enum class Step : std::uint8_t {
    stays,    ///< the champion is who it was
    first,    ///< the baseline
    faster,   ///< proven to be faster
    simpler,  ///< as fast, and simpler
  };
  /// Takes the next trial in; its verdict is settled.
  Step add(const TrialRecord& trial);
  [[nodiscard]] const std::optional<TrialRecord>& champion() const { return champion_; }
  [[nodiscard]] const std::optional<TrialRecord>& baseline() const { return baseline_; }

 private:
  [[nodiscard]] bool is_simpler(const TrialRecord& trial) const;
  [[nodiscard]] bool is_within_drift(const TrialRecord& trial) const;
  [[nodiscard]] bool is_proven_as_fast(const TrialRecord& trial) const;

  double band_;
  Ties ties_;
  std::optional<TrialRecord> baseline_, champion_;
  double fastest_us_ = 0;  ///< latency of the last one that was faster
  double behind_ = 1;      ///< how much slower than that one the champion may be
};

/// The champion after these trials, all from the first one on, as their verdicts say; nullptr before one is
/// correct.
[[nodiscard]] const TrialRecord* champion_of(std::span<const TrialRecord> trials,
                                             double band = model::GateSettings{}.timing_resolution,
                                             Ties ties = Ties::simplest);

/// A tie of a run: the champion of that moment, and who was as fast.
struct Tie {
  std::int64_t trial = 0;
  std::string variant, champion;  ///< ids
  Simplicity own, of_champion;
  bool taken = false;  ///< the champion's place
  /// Candidate over champion, where they were timed in turn.
  std::optional<model::PairedComparison> paired;
};
/// "tie: kept the champion A (3 genes, ...) over B (4 genes, ...)", or "tie: B (...) took the place of the
/// champion A (...): 1.0004 [0.9990, 1.0020]".
[[nodiscard]] std::string text_of(const Tie& tie);
/// The ties of a run, from its first trial on.
class TieHistory {
 public:
  TieHistory() = default;
  explicit TieHistory(double band) : lead_(band) {}
  /// The tie of this trial with the champion of its moment, or a copy of its code that took its place;
  /// nullopt where it is neither.
  std::optional<Tie> add(const TrialRecord& trial);

  [[nodiscard]] std::int64_t kept() const { return kept_; }    ///< ties that left the champion where it was
  [[nodiscard]] std::int64_t taken() const { return taken_; }  ///< ties that did not
  /// The last few of both.
  [[nodiscard]] const std::deque<Tie>& last() const { return last_; }

 private:
  Lead lead_;
  std::int64_t kept_ = 0, taken_ = 0;
  std::deque<Tie> last_;
};

}  // namespace evo::engine
