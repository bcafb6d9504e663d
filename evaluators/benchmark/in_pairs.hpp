// Two kernels of one problem timed in interleaved, randomised pairs on one device, until somebody who looks
// now and then has seen enough.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/measure/peeking.hpp"
#include "model/timing_notes.hpp"

namespace evo::evaluators::benchmark {

/// A kernel bound to each of the timed cases, in their order.
struct PairKernel {
  model::Artifact artifact;
  std::vector<model::Case> cases;
};

/// What one case came to. first_us[i] and second_us[i] are one pair: medians of turns that followed each
/// other.
struct PairedCase {
  std::string workload;
  double weight = 1;
  std::vector<double> first_us, second_us;
  /// ln(second / first), a mean for each fresh load of the two modules: what lies elsewhere after a load is
  /// the same for its pairs, so that loads are the independent samples.
  std::vector<double> load_logs;
  measure::RatioInterval ratio;  ///< second / first at the last look; NaNs before the first one
  bool settled = false;          ///< the look was enough
};

/// What a comparison came to.
struct TimedPairs {
  std::vector<PairedCase> cases;
  model::HeldClocks clocks;  ///< counts are loads
};

struct PairsProtocol {
  measure::LookPlan plan;  ///< over loads
  int pairs_a_load = 4;
  int samples = 2;      ///< of a turn, behind one that warms up
  int launches = 20;    ///< of a sample at most, unless there are more sets
  double seconds = 60;  ///< no load begins after so long, once the first look was due
  std::int64_t l2_bytes = 0;
  bool cold = false;  ///< sets that do not fit the L2, see buffer_sets()
  /// Loads in which the device slowed itself down are thrown away, so many at most, each after a pause.
  std::uint32_t most_discarded = 16;
  std::chrono::milliseconds pause{50};
  std::uint64_t seed = 1;  ///< of the order in each pair
};

/// What a kernel wrote on a case's inputs: empty if correct, else why not.
using OutputJudge = std::function<std::string(std::size_t index, const Outputs& outputs)>;
/// Whether an interval of second / first is enough for the case.
using Enough = std::function<bool(const measure::RatioInterval& ratio)>;

/// The kernel that failed or was wrong (0 or 1), and a line for a person.
struct PairFailure {
  std::size_t side = 0;
  std::string reason;
};
template <class T>
using PairOutcome = tl::expected<T, PairFailure>;

/// Both run on the same buffers. Each load of the modules begins with the one or the other, each pair too,
/// half of them each, drawn from the seed. Outputs are judged on poisoned buffers before the first pair and
/// after the last. Ends when each case is settled, at the last look, after the time, or at `stop`; a case
/// that is settled is not timed again. Memory that does not suffice is a failure of the first. Both need the
/// same number of arguments and cases, std::logic_error otherwise. What clocks do meanwhile the device
/// tells (Device::held_clocks()).
[[nodiscard]] PairOutcome<TimedPairs> time_in_pairs(devices::Device& device, const PairKernel& first,
                                                    const PairKernel& second,
                                                    const std::vector<oracle::InputBuffers>& inputs,
                                                    const PairsProtocol& protocol, const OutputJudge& judge,
                                                    const Enough& enough, const std::stop_token& stop = {});

}  // namespace evo::evaluators::benchmark
