// Comparisons in turn that begin before their trial is the next to be committed, so that the commits behind
// it do not wait for the whole of it: on a GPU a comparison takes as long as ten trials.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/thread_pool.hpp"
#include "engine/trial.hpp"
#include "evaluators/evaluator.hpp"

namespace evo::engine {

/// Owned and called by one thread. It guesses whom a trial will meet: what does not come true is not used.
class EarlyPairings {
 public:
  /// A trial whose evaluation has ended and that waits for its commit.
  struct Waiting {
    const TrialRecord* trial;  ///< as if it had been evaluated last; not yet settled
    std::shared_ptr<const evaluators::Prepared> prepared;
  };
  /// What the comparison of a trial may spend, if so many of those before it that are still open come to
  /// nothing.
  using ErrorOf = std::function<double(std::int64_t open)>;
  using VariantOf = std::function<model::Variant(const TrialRecord&)>;

  /// `at_a_time`: comparisons; one a GPU.
  EarlyPairings(evaluators::Evaluator& evaluator, int at_a_time);
  ~EarlyPairings();

  /// So many at a time from now on, at least one; what has begun goes on.
  void allow(int at_a_time);
  /// Begins the comparisons that will be asked for if the trials that wait, in proposal order, are all that
  /// there is: who is faster than the champion by more than drift is taken to replace it, and who is so by
  /// less is taken not to, until its comparison says otherwise.
  void look_ahead(const TrialRecord& champion, std::span<const Waiting> waiting, double resolution,
                  const ErrorOf& error_of, const VariantOf& variant_of);

  /// Whether take() would return without waiting.
  [[nodiscard]] bool has_ended(std::int64_t index, const std::string& incumbent, double error);
  /// What the trial's comparison with `incumbent` came to, once it has ended, if it has begun and spends no
  /// more than `error`. nullopt: nobody has begun it. Rethrows what the evaluator threw.
  [[nodiscard]] std::optional<evaluators::Paired> take(std::int64_t index, const std::string& incumbent,
                                                       double error);
  /// Comparisons that have begun and not ended.
  [[nodiscard]] int at_work();
  /// Device time of the trial's comparisons that nobody took, and of those of trials before it that ended
  /// after their commit.
  [[nodiscard]] double wasted(std::int64_t index);
  /// Begins nothing more, and waits for what runs, which can be taken.
  void drain();

 private:
  struct Entry;
  using Key = std::pair<std::int64_t, std::string>;  ///< a trial, and the variant that it meets
  void begin(const Key& key, const Waiting& waiting, double error, model::Variant incumbent);

  evaluators::Evaluator& evaluator_;
  int at_a_time_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  int running_ = 0;
  bool stopped_ = false;
  std::int64_t tasks_ = 0;
  std::map<std::int64_t, double> wasted_;  ///< seconds, by trial
  ThreadPool pool_;                        // last: threads end before what they use
};

}  // namespace evo::engine
