// A comparison in turn that ends when it knows.
#pragma once

#include "bench/decision/noise.hpp"
#include "evaluators/measure/peeking.hpp"

namespace evo::bench {

/// Looks that share the error.
struct Sequential {
  evaluators::measure::LookPlan plan;  ///< numbers of samples; the error is of both ends
  int rounds_a_load = 4;
  bool of_loads = false;  ///< a sample is the mean of a load's rounds, not a round
  int hopeless = 4;       ///< rounds after which who shows no advantage is left, as gates/paired.cpp does
  int screening = 0;      ///< loads before, of which only who shows an advantage goes on, to fresh ones
  /// Who wins has to look as if the loads did not remember each other: their mean squared successive
  /// difference (von Neumann) is no further below 2 than so many standard deviations. 0: nobody asks.
  double independent = 0;
};

struct Ended {
  bool promoted = false;
  bool decided = false;  ///< it went on behind its screening
};

/// Ends when the interval says that the candidate is faster by the margin, or that it is not.
[[nodiscard]] Ended compare(Turns& turns, const Sequential& how, double margin);

}  // namespace evo::bench
