// What genes do to counters, estimated as what they do to the latency is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/counter_records.hpp"
#include "engine/joint_effects.hpp"

namespace evo::engine {

struct CounterEffects {
  std::string counter;  ///< CounterName::name
  model::CounterBasis basis = model::CounterBasis::measured;
  /// Effects are of ln(counter). False for shares in percent, and for what is 0 in some trial: then they are
  /// differences in the counter's own unit, percentage points of a share.
  bool relative = false;
  JointFit fit;  ///< `trials`: those that were counted; empty where the counter is the same in all of them
};

/// A run's trials, and which of them were counted.
struct CountedHistory {
  std::span<const TrialRecord> trials;
  const CountedTrials* counted = nullptr;
};

/// Counters that any trial has, each once, in the order of counter_names().
[[nodiscard]] std::vector<std::string> counters_of(const CountedTrials& counted);

/// A trial's counter is the mean over its workloads, each equally (of logarithms where it is relative). On a
/// workload of several kernels what counts work is added up; shares and stalls are weighted by the kernels'
/// durations.
///
/// One entry for each basis and counter that trials of the template have; measured and modelled readings are
/// never in one fit. Each history, method and device gets a level of its own. All intervals of one basis hold
/// together with 95 %, over all counters that are asked for.
[[nodiscard]] std::vector<CounterEffects> counter_effects(std::span<const CountedHistory> histories,
                                                          std::string_view template_name,
                                                          const model::Genome& reference,
                                                          std::span<const std::string> counters);

}  // namespace evo::engine
