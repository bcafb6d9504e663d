// Pools of proposals on their way to the model that chooses among them. Pools go in by proposal order and
// come out by proposal order; in between their candidates are compiled and modelled on any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/proposer.hpp"
#include "engine/screen.hpp"
#include "engine/thread_pool.hpp"
#include "evaluators/latency_model.hpp"

namespace evo::engine {

/// What of a pool goes to the device.
struct Screened {
  std::int64_t index = 0;
  Proposal proposal;
  model::Variant variant;
  std::shared_ptr<const evaluators::Prepared> prepared;  ///< nullptr: it was not screened
  std::optional<EventRecord> event;                      ///< likewise nothing
  std::optional<double> modelled_us;                     ///< of what goes
};

/// Owned and called by one thread. Everything that is kept by reference outlives it.
class Screening {
 public:
  Screening(evaluators::Evaluator& evaluator, evaluators::LatencyModel& model, const SearchSpace& space,
            const model::SearchSettings& settings, int threads);
  ~Screening();

  /// Indices are submitted in order.
  void submit(const SlotId& slot, Drawn drawn);
  /// The next one by index, when all of its pool is known; nullopt after `timeout`, or where nothing is on
  /// its way. Rethrows what an evaluator or the model threw.
  [[nodiscard]] std::optional<Screened> next(std::chrono::milliseconds timeout);
  [[nodiscard]] bool empty() const { return slots_.empty(); }
  /// Starts nothing more, waits for what runs, and drops what has not come out.
  void drain();

 private:
  struct Slot;
  void post(Slot& slot, std::size_t position);
  void look_at(Slot& slot, std::size_t position);
  [[nodiscard]] Screened judge(Slot& slot) const;
  void stop();

  evaluators::Evaluator& evaluator_;
  evaluators::LatencyModel& model_;
  const SearchSpace& space_;
  model::SearchSettings settings_;
  std::map<std::int64_t, std::unique_ptr<Slot>> slots_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  bool draining_ = false;
  ThreadPool pool_;  // last: threads end before what they use
};

}  // namespace evo::engine
