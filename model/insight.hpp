// Insights: statements about a space that name their evidence. Computed by engine/insights, used by mutators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/value.hpp"
#include "model/verdict.hpp"

namespace evo::model {

/// Main effect of one gene value on the natural logarithm of latency, against the mean of all measured trials
/// of the template: -0.1 is about 10 % faster than average.
struct ValueEffect {
  std::string id;  ///< "g3-e12": the twelfth effect of generation 3; unique in a run
  std::string template_name;
  std::string gene;
  Value value;
  double effect = 0;
  std::array<double, 2> ci95{};  ///< 95 % interval of `effect`
  std::int64_t trials = 0;       ///< measured trials with this value

  [[nodiscard]] bool significant() const { return ci95[0] > 0 || ci95[1] < 0; }
  friend bool operator==(const ValueEffect&, const ValueEffect&) = default;
};

/// A conjunction of gene values under which candidates fail.
struct FailurePattern {
  std::string id;  ///< "g3-f2"
  std::string template_name;
  Environment when;  ///< one to three gene values
  Status status = Status::wrong;
  std::string reason;
  std::int64_t count = 0;    ///< trials under `when` that ended with status and reason
  std::int64_t of = 0;       ///< all trials under `when`
  double rate_at_least = 0;  ///< Wilson lower bound (95 %) of count / of

  /// True if `genome` has all values of the conjunction.
  [[nodiscard]] bool matches(const Environment& genome) const {
    for (const auto& [gene, value] : when) {
      const auto found = genome.find(gene);
      if (found == genome.end() || found->second != value) return false;
    }
    return true;
  }
  friend bool operator==(const FailurePattern&, const FailurePattern&) = default;
};

/// What was known when the proposals of `generation` were made.
struct Insights {
  int generation = 0;
  std::int64_t trials = 0;  ///< length of the history it was computed from
  std::vector<ValueEffect> effects;
  std::vector<FailurePattern> failures;

  [[nodiscard]] bool empty() const { return effects.empty() && failures.empty(); }
  friend bool operator==(const Insights&, const Insights&) = default;
};

}  // namespace evo::model
