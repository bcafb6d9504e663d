// A kernel of evo's and one contender of any kind timed in turn, by the protocol of a final verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evaluators/benchmark/contender.hpp"

namespace evo::evaluators::benchmark {

struct AgainstProtocol {
  int rounds = 28;  ///< in each, both have one turn
  /// After so many the kernel is loaded afresh; even, so that each begins a load's rounds equally often.
  int rounds_a_load = 2;
  int launches = 20;  ///< in the graph of a sample; fewer of slow kernels, one a buffer set at least
  std::int64_t l2_bytes = 0;
  bool cold = false;       ///< sets that do not fit the L2, see buffer_sets()
  std::uint64_t seed = 1;  ///< of who begins
};

/// Microseconds a launch, one value a round.
struct AgainstTimes {
  std::vector<double> kernel_us, other_us;
};

/// What is wrong with a contender's outputs; empty: nothing.
using ContenderJudge = std::function<std::string(const Contender&, const Outputs&)>;

/// Both on `inputs`. The outputs of both are judged before the first turn, the kernel's at each fresh load.
/// The error says what failed, of the kernel behind "the champion: ".
[[nodiscard]] Attempt<AgainstTimes> time_against(Contender& kernel, Contender& other,
                                                 const model::Case& bound, const oracle::InputBuffers& inputs,
                                                 const ContenderJudge& judge,
                                                 const AgainstProtocol& protocol);

}  // namespace evo::evaluators::benchmark
