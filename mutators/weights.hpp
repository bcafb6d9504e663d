// How often each operator is used: data of the experiment (`search.mutators`), with a default for each
// strategy.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/experiment.hpp"

namespace evo::mutators {

/// Operator name -> weight, at least 0. An operator's share is its weight over the sum of all; 0 switches it
/// off.
using Weights = std::map<std::string, double, std::less<>>;

/// Names of builtin_mutators(), in their order.
[[nodiscard]] const std::vector<std::string>& operator_names();

/// The weights of a strategy where an experiment names none; of "genetic" for a name that is unknown. They
/// name every operator.
[[nodiscard]] Weights default_weights(std::string_view strategy);

/// What was said over the strategy's defaults. An error names the operator that is unknown or whose weight is
/// negative or not a number; or it says that every weight is 0.
[[nodiscard]] model::Expected<Weights> weights_of(const model::SearchSettings& settings);

}  // namespace evo::mutators
