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
#include "model/space.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

namespace evo::tests {

inline config::SearchPath shipped_path() {
  return {{EVO_SOURCE_DIR "/kernels"}};
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
                           *model::find_target(target));
}

using Genes = std::vector<std::pair<std::string, model::Value>>;

inline model::Genome with_genes(model::Genome genome, const Genes& genes) {
  for (const auto& [name, value] : genes) genome.set(name, value);
  return genome;
}

/// A legal genome with `fixed` genes and every barrier at full strength, drawn gene by gene: rejection over
/// the whole space would find a few in a thousand. nullopt where none was found.
inline std::optional<model::Genome> random_full_strength_genome(const model::Space& space,
                                                                std::mt19937& random,
                                                                const Genes& fixed = {}) {
  for (int attempt = 0; attempt < 50000; ++attempt) {
    model::Genome genome;
    for (const model::Gene& gene : space.genes()) {
      const std::size_t last = gene.values.size() - 1;
      const bool sync = gene.role == model::GeneRole::sync;
      genome.set(gene.name, gene.values[sync ? last : random() % (last + 1)]);
    }
    genome = with_genes(genome, fixed);
    if (space.legal(genome)) return genome;
  }
  return std::nullopt;
}

/// The values that no legal genome was found to have in so many random tries each, as "GENE=value".
inline std::vector<std::string> values_in_no_legal_genome(const model::Space& space, int tries) {
  std::mt19937 random(1);
  std::vector<std::string> missing;
  for (const model::Gene& gene : space.genes()) {
    for (const model::Value& value : gene.values) {
      bool found = false;
      for (int attempt = 0; attempt < tries && !found; ++attempt) {
        model::Genome genome;
        for (const model::Gene& other : space.genes()) {
          genome.set(other.name, other.values[random() % other.values.size()]);
        }
        genome.set(gene.name, value);
        found = space.legal(genome);
      }
      if (!found) missing.push_back(gene.name + "=" + model::to_string(value));
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

/// For each constraint of attention_forward's scalar template, in the file's order: genes that make its
/// initial genome break this constraint (with head_dim 64, on an L4) and no other.
inline std::vector<Genes> scalar_constraint_breakers() {
  using I = std::int64_t;
  return {
      // Three of four rows belong to no thread.
      {{"BLOCK_M", I{128}}, {"NUM_WARPS", I{1}}, {"ROWS_PER_THREAD", I{1}}},
      // 128 threads share the 64 columns of O.
      {{"BLOCK_M", I{16}}, {"BLOCK_N", I{128}}, {"NUM_WARPS", I{8}}, {"ROWS_PER_THREAD", I{8}}},
      // 8 threads of 4 columns on rows of 16.
      {{"BLOCK_N", I{16}}, {"COLS_PER_THREAD", I{4}}},
      // 8-byte stores to rows 132 bytes apart.
      {{"SMEM_PAD", I{2}}, {"VEC", I{4}}},
      // 4-byte loads from rows 130 bytes apart.
      {{"SMEM_PAD", I{1}}, {"VEC", I{1}}, {"READ_VEC", I{2}}},
      // 8-byte loads from rows 132 bytes apart.
      {{"S_PAD", I{1}}, {"P_VEC", I{2}}},
      // 156 KiB.
      {{"BLOCK_M", I{128}}, {"BLOCK_N", I{128}}, {"NUM_WARPS", I{8}}, {"KV_BUFFERS", I{2}}},
  };
}

}  // namespace evo::tests
