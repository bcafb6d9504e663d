// The problems and experiments of this repository, loaded.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.hpp"
#include "model/legality.hpp"
#include "model/space.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

#include "tests/support/targets.hpp"

namespace evo::tests {

inline config::SearchPath shipped_path() {
  return {{EVO_SOURCE_DIR "/kernels"}, {EVO_SOURCE_DIR "/targets"}};
}

/// Throws with the loader's own words.
inline model::Problem shipped_problem(const std::string& name) {
  auto problem = config::load_problem(name, shipped_path());
  if (!problem) throw std::runtime_error(problem.error().text());
  return std::move(*problem);
}

inline model::Experiment shipped_experiment(const std::string& name) {
  auto experiment =
      config::load_experiment(EVO_SOURCE_DIR "/experiments/" + name + ".yaml", {}, shipped_path());
  if (!experiment) throw std::runtime_error(experiment.error().text());
  return std::move(*experiment);
}

/// A template's space with its names bound.
inline model::Space bound_space(const model::Problem& problem, const std::string& template_name,
                                std::int64_t head_dim, const std::string& target = "l4") {
  return model::bind_space(problem, *problem.find_template(template_name), {{"head_dim", head_dim}},
                           tests::shipped_target(target));
}

using Genes = std::vector<std::pair<std::string, model::Value>>;

inline model::Genome with_genes(model::Genome genome, const Genes& genes) {
  for (const auto& [name, value] : genes) genome.set(name, value);
  return genome;
}

/// One list behind the other; where a gene stands in both, with_genes() takes the latter.
inline Genes also(Genes genes, const Genes& more) {
  genes.insert(genes.end(), more.begin(), more.end());
  return genes;
}

enum class Barriers { full_strength, any };

/// A legal genome with `fixed` genes, drawn gene by gene. nullopt where `tries` found none.
inline std::optional<model::Genome> random_legal_genome(const model::Space& space, std::mt19937& random,
                                                        Barriers barriers, const Genes& fixed = {},
                                                        int tries = 400000) {
  const std::vector<model::Gene>& genes = space.genes();
  const model::Legality legality(space);
  std::vector<std::optional<std::size_t>> given(genes.size());
  for (std::size_t i = 0; i < genes.size(); ++i) {
    for (const auto& [name, value] : fixed) {
      if (name == genes[i].name) given[i] = genes[i].index_of(value).value();
    }
  }
  for (int attempt = 0; attempt < tries; ++attempt) {
    std::vector<std::size_t> chosen(genes.size());
    std::vector<model::Operand> values(genes.size());
    for (std::size_t i = 0; i < genes.size(); ++i) {
      const std::size_t last = genes[i].values.size() - 1;
      const bool keep = genes[i].role == model::GeneRole::sync && barriers == Barriers::full_strength;
      chosen[i] = keep ? last : random() % (last + 1);
      if (given[i]) chosen[i] = *given[i];
      values[i] = legality.value(i, chosen[i]);
    }
    bool legal = true;
    for (std::size_t rule = 0; legal && rule < legality.constraints(); ++rule)
      legal = legality.holds(rule, values);
    if (!legal) continue;
    model::Genome genome;
    for (std::size_t i = 0; i < genes.size(); ++i) genome.set(genes[i].name, genes[i].values[chosen[i]]);
    return genome;
  }
  return std::nullopt;
}

/// Rejection over the whole space would find a few in a thousand.
inline std::optional<model::Genome> random_full_strength_genome(const model::Space& space,
                                                                std::mt19937& random,
                                                                const Genes& fixed = {}) {
  return random_legal_genome(space, random, Barriers::full_strength, fixed);
}

/// The values that no legal genome has, as "GENE=value". A draw finds most at once, a count tells of the
/// rest.
inline std::vector<std::string> values_in_no_legal_genome(const model::Space& space) {
  std::mt19937 random(1);
  std::vector<std::string> missing;
  for (std::size_t gene = 0; gene < space.genes().size(); ++gene) {
    for (const model::Value& value : space.genes()[gene].values) {
      const Genes fixed{{space.genes()[gene].name, value}};
      if (random_legal_genome(space, random, Barriers::any, fixed, 50000)) continue;
      std::vector<model::Gene> genes = space.genes();
      genes[gene].values = {value};
      genes[gene].initial = value;
      if (model::Space(genes, space.constraints(), space.fixed()).count_legal().all == 0)
        missing.push_back(genes[gene].name + "=" + model::to_string(value));
    }
  }
  return missing;
}

/// The constraints that a genome breaks, as positions.
inline std::vector<std::size_t> broken_constraints(const model::Space& space, const model::Genome& genome) {
  model::Environment environment = space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  std::vector<std::size_t> broken;
  for (std::size_t i = 0; i < space.constraints().size(); ++i) {
    const auto holds = space.constraints()[i].condition.evaluate_integer(environment);
    if (!holds) throw std::runtime_error(holds.error().text());
    if (*holds == 0) broken.push_back(i);
  }
  return broken;
}

}  // namespace evo::tests
