// Numbers beyond which code does something else with a floating-point scalar: a probability below 0.01 is
// taken for none, a factor within a hundredth of 1 for 1.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "evaluators/code/ptx_statements.hpp"
#include "model/artifact.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// What a scalar may be: within its range, else of the sign of its usual value and up to 2^10 times as large
/// or as small.
struct ScalarBounds {
  double usual = 1;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_range = false;
};

/// Where one of the comparisons of floating-point numbers in `entry` (setp, set, min, max)
/// changes its outcome while parameter `place` goes through `bounds`, ascending. Both
/// sides of such a comparison are made of parameters and numbers of the code alone, by steps of real
/// arithmetic; the other parameters stay as `parameters` has them, by their places. None of PTX that evo
/// cannot read.
[[nodiscard]] std::vector<double> thresholds_of(const code::PtxModule& module, const std::string& entry,
                                                const std::vector<double>& parameters, std::size_t place,
                                                const ScalarBounds& bounds);

/// One value next to a threshold and one further on in each stretch between two of them that the usual value
/// is not in, the nearest stretches first; eight at most, each once, within the bounds.
[[nodiscard]] std::vector<double> beside_thresholds(const std::vector<double>& thresholds,
                                                    const ScalarBounds& bounds);

/// By the argument's index, for floating-point scalars that are neither fixed nor neutral, as `launch` gives
/// them to the kernels of `artifact`. Adds to `found`. Structs by value are left out.
void find_thresholds(const model::Problem& problem, const model::Artifact& artifact,
                     const model::LaunchPlan& launch, const model::Case& bound,
                     std::map<std::size_t, std::vector<double>>& found);

/// The same for the scalars of a problem: values beside what find_thresholds() found.
[[nodiscard]] std::map<std::size_t, std::vector<double>> scalars_beside(
    const model::Problem& problem, const model::Case& bound,
    const std::map<std::size_t, std::vector<double>>& thresholds);

}  // namespace evo::evaluators::gates
