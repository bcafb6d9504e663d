// The error that the comparisons of a run share: what each may spend so that the chance that any of them
// promotes a candidate that is not faster stays bounded, however many there will be.
#pragma once

#include <cstdint>

#include "engine/trial.hpp"
#include "model/measurement.hpp"

namespace evo::engine {

/// The i-th comparison gets `of_run` / (i H), H the harmonic number of the most that a run can make: the
/// shares of all add up to `of_run`, and each knows only what was committed before it. i counts neither what
/// ended in its screening, which cannot promote, nor what promoted: a correct promotion makes no error,
/// and behind one that is wrong the run has made it already. Of the candidates that are not faster, the k-th
/// that is compared before the first wrong promotion has thus i >= k, so that no more than `of_run` comes
/// together (docs/concepts/measurement.md).
class PromotionError {
 public:
  /// `of_run`: model::GateSettings::promotion_error; `most`: comparisons that a run can make.
  PromotionError(double of_run, std::int64_t most);

  /// The i-th share, from 1 on.
  [[nodiscard]] double share(std::int64_t i) const;
  /// What the next comparison may spend, if `open` more before it come to nothing.
  [[nodiscard]] double next(std::int64_t open = 0) const { return share(lost_ + 1 + open); }
  /// Takes in what came of a comparison, in the order of commits.
  void add(const model::PairedComparison& comparison, bool promoted);
  /// The same of a trial that may have been compared. Of one whose comparison failed nobody knows how far
  /// that went: it counts as one that promoted nobody.
  void add(const TrialRecord& trial);

  /// The shares of the comparisons so far; 0 if there was none. More than of_run() only where an evo that did
  /// not bound it has made some of them.
  [[nodiscard]] double spent() const { return spent_ + open_; }
  [[nodiscard]] double of_run() const { return of_run_; }
  /// The chance that a comparison of this run promotes what is not faster is at most this, however it goes
  /// on.
  [[nodiscard]] double bound() const;
  /// All that were timed in turn, and those of them that were decided on fresh rounds behind a screening.
  [[nodiscard]] std::int64_t comparisons() const { return comparisons_; }
  [[nodiscard]] std::int64_t decided() const { return decided_; }

 private:
  /// One that went on behind its screening.
  void count(double error, bool promoted);

  double of_run_, harmonic_;
  std::int64_t comparisons_ = 0, decided_ = 0, lost_ = 0;
  double spent_ = 0;
  double open_ = 0;  ///< the share that only promotions have used so far
  bool unbounded_ = false;
};

}  // namespace evo::engine
