// Compiles ahead while devices work. Variants go in by proposal order and come out by proposal order; in
// between they are prepared and evaluated on any thread, in any order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/thread_pool.hpp"
#include "evaluators/evaluator.hpp"

namespace evo::engine {

/// How much of the ladder a submission climbs.
enum class Work : std::uint8_t {
  all,
  prepare_only,  ///< its verdict on the device is taken from elsewhere
  none,          ///< only keeps its place in the order
};

/// A submission that has finished.
struct Finished {
  std::int64_t index = 0;
  std::shared_ptr<const evaluators::Prepared> prepared;  ///< nullptr for Work::none
  std::optional<evaluators::Evaluation> evaluation;      ///< when it was evaluated
  std::optional<std::int64_t> same_code_as;              ///< an earlier index with the same code identity
};

/// Owned and called by one thread. Which of two variants with the same code counts as the original is decided
/// by proposal order, never by which one was compiled first.
class Pipeline {
 public:
  /// `ahead`: a variant is evaluated as soon as it is compiled, before those ahead of it are: one slow
  /// compiler otherwise keeps devices waiting. Where one of those turns out to have the same code, the
  /// evaluation counts for nothing, as if it had not been: wasted().
  Pipeline(evaluators::Evaluator& evaluator, int prepare_threads, int device_threads, bool ahead = false);
  ~Pipeline();

  /// A variant evaluated in an earlier session (resume).
  void know(const std::string& code_identity, std::int64_t index);

  /// Indices are submitted in order, without gaps after the first one. `prepared`: what prepare() has said of
  /// the variant already, if somebody asked.
  void submit(std::int64_t index, model::Variant variant, Work work = Work::all,
              std::shared_ptr<const evaluators::Prepared> prepared = nullptr);

  /// The next one by index, when it is finished; nullopt after `timeout`. Rethrows what an evaluator threw,
  /// after everything that ran has ended.
  /// `or_news`: nullopt as soon as there is something for evaluated().
  [[nodiscard]] std::optional<Finished> next(std::chrono::milliseconds timeout, bool or_news = false);

  /// Sends on what has been prepared, for so long at most; returns sooner where there is news.
  void wait(std::chrono::milliseconds timeout);

  /// Those that have been evaluated since the last call and that next() has not returned, in any order. They
  /// stay until next() returns them.
  [[nodiscard]] std::vector<const Finished*> evaluated();

  /// Device time since the last call of evaluations that ended and count for nothing. What such an evaluation
  /// takes that ends behind the last commit of a run is in no record.
  [[nodiscard]] double wasted();

  /// Starts nothing more and waits for what runs. What then is finished still comes out of next().
  void drain();

 private:
  struct Entry;
  void post_prepare(std::int64_t index);
  void post_evaluate(std::int64_t index);
  void resolve();
  void look_ahead(std::vector<std::int64_t>& to_evaluate);
  void give_up(Entry& entry);

  evaluators::Evaluator& evaluator_;
  std::map<std::int64_t, std::shared_ptr<Entry>> entries_;
  std::unordered_map<std::string, std::int64_t> first_with_code_;
  std::optional<std::int64_t> last_;  // submitted
  std::int64_t next_ = 0;             // the next index that next() returns
  std::int64_t resolve_ = 0;          // the next index to be told from earlier ones
  bool draining_ = false;
  bool ahead_;
  double wasted_ = 0;                    // seconds; guarded by mutex_
  std::vector<std::int64_t> evaluated_;  // not told yet; guarded by mutex_

  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  ThreadPool prepare_pool_;
  ThreadPool device_pool_;  // last: threads end before what they use
};

}  // namespace evo::engine
