#include "config/mutator_weights.hpp"

#include <algorithm>
#include <array>

#include "config/language_models.hpp"
#include "config/settings.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/weights.hpp"

namespace evo::config {
namespace {

using mutators::Weights;

constexpr double most = 1e6;

constexpr std::array<std::string_view, 4> breeders{"gene_mutation", "uniform_crossover", "insight_guided",
                                                   "sync_mutation"};

void read_map(const Reader& map, Weights& weights) {
  std::vector<std::string> known = mutators::operator_names();
  for (const std::string& name : mutators::source_weight_names()) known.push_back(name);
  known.emplace_back(language_models);
  map.expect_keys(known);
  for (const std::string& name : map.keys()) {
    if (name != language_models) weights[name] = map.at(name).number(0, most);
  }
}

void read_list(const Reader& list, Weights& weights) {
  std::vector<std::string> enabled;
  for (const Reader& item : list.items()) {
    if (item.is_map()) {
      item.expect_keys({std::string(language_models)});
      continue;
    }
    enabled.push_back(item.choice(mutators::operator_names(), "mutator"));
  }
  if (enabled.empty()) return;
  const auto listed = [&](std::string_view name) {
    return std::ranges::find(enabled, name) != enabled.end();
  };
  for (auto& [name, weight] : weights) {
    if (!listed(name) && !(name == "neighbour" && listed("gene_mutation"))) weight = 0;
  }
}

/// `crossover`: of what is bred, this share has two parents. `immigrants`: the share of fresh genomes beside
/// what is bred. An operator that is off stays off.
void read_shares(const Reader& search, Weights& weights) {
  double bred = 0;
  for (const std::string_view name : breeders) bred += weights.find(name)->second;
  double& crossed = weights.find("uniform_crossover")->second;
  double share = 0;
  take(search, search_keys(), "crossover", share);
  if (search.find("crossover") && crossed > 0 && bred > crossed) {
    const double rest = (1 - share) * bred / (bred - crossed);
    for (const std::string_view name : breeders) weights.find(name)->second *= rest;
    crossed = share * bred;
  }
  double& immigrants = weights.find("random_immigrant")->second;
  take(search, search_keys(), "immigrants", share);
  if (!search.find("immigrants") || immigrants == 0) return;
  if (share < 1) {
    immigrants = share / (1 - share) * bred;
  } else {
    for (auto& [name, weight] : weights) weight = name == "random_immigrant" ? 1 : 0;
  }
}

}  // namespace

void read_mutators(const Reader& search, model::SearchSettings& settings) {
  const auto said = search.find("mutators");
  const bool map = said && said->is_map();
  for (const char* older : {"crossover", "immigrants"}) {
    const auto share = search.find(older);
    if (share && map) share->fail("it is an older form of mutators: say it there, as a weight");
  }
  auto known = mutators::weights_of(settings);
  if (!known) throw Invalid{known.error()};
  Weights weights = std::move(*known);
  if (map) {
    read_map(*said, weights);
  } else if (said) {
    read_list(*said, weights);
  }
  read_shares(search, weights);
  if (std::ranges::all_of(weights, [](const auto& entry) { return entry.second == 0; })) {
    (said ? *said : search).fail("every weight is 0: nothing could be proposed");
  }
  if (said) settings.models = read_language_models(*said);
  settings.mutators = std::move(weights);
}

}  // namespace evo::config
