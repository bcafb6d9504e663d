#include "mutators/source_weights.hpp"

#include <map>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {
namespace {

/// Parts of what source_edits has; 1 where nothing else is said.
double default_part(std::string_view name) {
  // What takes away is tried the most: it is where kernels have something to lose.
  static const std::map<std::string_view, double> parts{
      {"barrier_delete", 3},   {"barrier_weaken", 2},  {"race_repair", 2},      {"edit_crossover", 2},
      {"edit_removal", 3},     {"loop_unroll", 3},     {"load_hint", 1.5},      {"restrict", 2},
      {"barrier_insert", 0.5}, {"barrier_merge", 0.5}, {"statement_copy", 0.5}, {"statement_replace", 0.5},
      {"fence_insert", 0.5},   {"barrier_split", 0.5}, {"near_correct", 3}};
  const auto found = parts.find(name);
  return found == parts.end() ? 1 : found->second;
}

}  // namespace

const std::vector<std::string>& source_weight_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{std::string(all_source_edits)};
    for (const std::string& name : source_operator_names()) list.push_back(name);
    list.emplace_back(edit_crossover);
    list.emplace_back(edit_removal);
    list.emplace_back(gene_value);
    list.emplace_back(near_correct);
    return list;
  }();
  return names;
}

std::vector<std::pair<std::string, double>> source_weights(const Weights& weights) {
  const auto all = weights.find(all_source_edits);
  double parts = 0;
  for (const std::string& name : source_weight_names()) {
    if (name != all_source_edits && !weights.contains(name)) parts += default_part(name);
  }
  std::vector<std::pair<std::string, double>> result;
  for (const std::string& name : source_weight_names()) {
    if (name == all_source_edits) continue;
    const auto own = weights.find(name);
    double weight = 0;
    if (own != weights.end()) {
      weight = own->second;
    } else if (all != weights.end()) {
      weight = all->second * default_part(name) / parts;
    }
    if (weight > 0) result.emplace_back(name, weight);
  }
  return result;
}

}  // namespace evo::mutators
