#include "mutators/weights.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mutators/mutator.hpp"
#include "mutators/source_weights.hpp"

namespace evo::mutators {

const std::vector<std::string>& operator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& mutator : builtin_mutators()) list.emplace_back(mutator->name());
    return list;
  }();
  return names;
}

Weights default_weights(std::string_view strategy) {
  Weights weights;
  for (const std::string& name : operator_names()) weights[name] = 0;
  const auto set = [&](std::initializer_list<std::pair<std::string_view, double>> some) {
    for (const auto& [name, weight] : some) weights.find(name)->second = weight;
  };
  if (strategy == "random") {
    set({{"random_immigrant", 1}});
  } else if (strategy == "local") {
    set({{"gene_mutation", 0.9}, {"sync_mutation", 0.1}});
  } else if (strategy == "surrogate") {
    set({{"uniform_crossover", 0.45},
         {"gene_mutation", 0.27},
         {"sync_mutation", 0.03},
         {"neighbour", 0.15},
         {"random_immigrant", 0.1}});
  } else {
    set({{"uniform_crossover", 0.405},
         {"gene_mutation", 0.12},
         {"insight_guided", 0.12},
         {"sync_mutation", 0.03},
         {"neighbour", 0.25},
         {"random_immigrant", 0.075}});
  }
  return weights;
}

model::Expected<Weights> weights_of(const model::SearchSettings& settings) {
  Weights weights = default_weights(settings.strategy);
  for (const auto& [name, weight] : settings.mutators) {
    auto known = weights.find(name);
    if (known == weights.end() &&
        std::ranges::find(source_weight_names(), name) != source_weight_names().end())
      known = weights.emplace(name, 0).first;
    if (known == weights.end()) {
      return tl::make_unexpected(
          model::Error{fmt::format("search.mutators: there is no mutator '{}'; known are {}", name,
                                   fmt::join(operator_names(), ", "))});
    }
    if (!std::isfinite(weight) || weight < 0) {
      return tl::make_unexpected(
          model::Error{fmt::format("search.mutators.{}: a weight is at least 0, not {}", name, weight)});
    }
    known->second = weight;
  }
  if (std::ranges::all_of(weights, [](const auto& entry) { return entry.second == 0; })) {
    return tl::make_unexpected(
        model::Error{"search.mutators: every weight is 0, so that nothing could be proposed"});
  }
  return weights;
}

}  // namespace evo::mutators
