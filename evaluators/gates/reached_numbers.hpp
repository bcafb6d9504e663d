// Numbers that what a kernel computes may be equal to: thresholds of sums and products, and what there is to
// multiply by on the way.
#pragma once

#include <set>
#include <string>

namespace evo::evaluators::gates {

struct ReachedNumbers {
  std::set<double> thresholds;  ///< what is compared with something, or added to it
  std::set<double> factors;     ///< what something is multiplied with or divided by
  bool compares = false;        ///< is there a comparison of floating-point numbers?
  bool rounds = false;          ///< are integers made of some?

  /// Is there anything to reach? `scalars`: the problem has floating-point ones.
  [[nodiscard]] bool any(bool scalars) const {
    return rounds || (compares && (scalars || !thresholds.empty()));
  }
};

/// Of all of the module: constants in setp and set, add, sub, mul, div and fma; finite, not 0, and of
/// ordinary size. Nothing of PTX that evo cannot read.
[[nodiscard]] ReachedNumbers reached_numbers(const std::string& ptx);

/// What both have.
[[nodiscard]] ReachedNumbers in_both(const ReachedNumbers& a, const ReachedNumbers& b);

}  // namespace evo::evaluators::gates
