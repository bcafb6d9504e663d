// Proves the problem's comparators that are kernels, before anybody says how fast they are.
#pragma once

#include <memory>

#include "evaluators/gates/ladder.hpp"
#include "model/experiment.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// By the gates of `stack`, as what they are: no trials of a run. Counters are bounded for the run's own
/// variants, and what is remembered of a search's latencies is the search's. `stack` outlives it.
class ComparatorProver {
 public:
  ComparatorProver(const model::Experiment& experiment, EvaluationStack& stack);

  /// `one` is a kernel.
  [[nodiscard]] evaluators::gates::GateReport prove(const model::Comparator& one);
  /// What times a kernel that prove() found correct.
  [[nodiscard]] evaluators::gates::DeviceJob launches_of(const evaluators::gates::GateReport& report) const;

 private:
  model::Experiment experiment_;
  std::unique_ptr<evaluators::gates::JobRunner> runner_;
  evaluators::gates::Ladder ladder_;
};

}  // namespace evo::session
