// A small problem whose kernels are never compiled: two templates, constraints that forbid most of the space,
// one barrier. For tests of mutators and engine.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/experiment.hpp"
#include "model/problem.hpp"
#include "model/target.hpp"

#include "tests/support/targets.hpp"

namespace evo::testing {

inline model::Expression expression(const std::string& text) {
  auto parsed = model::Expression::parse(text, "small.yaml", 1, 1);
  if (!parsed) throw std::runtime_error(parsed.error().text());
  return *parsed;
}

inline model::Gene integer_gene(std::string name, std::vector<std::int64_t> values, std::int64_t initial) {
  model::Gene gene;
  gene.name = std::move(name);
  gene.values.assign(values.begin(), values.end());
  gene.initial = initial;
  return gene;
}

inline model::Gene symbol_gene(std::string name, std::vector<std::string> values, std::string initial,
                               model::GeneRole role = model::GeneRole::tuning) {
  model::Gene gene;
  gene.name = std::move(name);
  gene.role = role;
  gene.values.assign(values.begin(), values.end());
  gene.initial = std::move(initial);
  return gene;
}

/// 4 * 4 * 4 * 3 * 2 * 3 combinations, 252 of them legal with all barriers at full.
inline model::Space tiled_space() {
  return model::Space({integer_gene("BLOCK_M", {16, 32, 64, 128}, 32),
                       integer_gene("BLOCK_N", {16, 32, 64, 128}, 32), integer_gene("WARPS", {1, 2, 4, 8}, 2),
                       integer_gene("PAD", {0, 4, 8}, 0), symbol_gene("S_DTYPE", {"float", "half"}, "float"),
                       symbol_gene("SYNC_A", {"none", "warp", "block"}, "block", model::GeneRole::sync)},
                      {{expression("BLOCK_M * BLOCK_N <= 4096"), "the tile must fit"},
                       {expression("BLOCK_M % (WARPS * 8) == 0"), "each warp needs eight rows"},
                       {expression("S_DTYPE == 'float' or PAD != 4"), "half rows are padded by eight"}});
}

inline model::Space simple_space() {
  return model::Space({integer_gene("THREADS", {32, 64, 128, 256}, 64), integer_gene("UNROLL", {1, 2, 4}, 1)},
                      {{expression("THREADS * UNROLL <= 512"), "too many elements a block"}});
}

inline model::Template small_template(std::string name, model::Space space) {
  model::Template kernel;
  kernel.name = std::move(name);
  kernel.source_file = kernel.name + ".cu";
  kernel.source = "extern \"C\" __global__ void " + kernel.name + "() {}\n";
  kernel.entry = kernel.name;
  kernel.space = std::move(space);
  for (auto& size : kernel.launch.grid) size = model::Expression(1);
  for (auto& size : kernel.launch.block) size = model::Expression(1);
  return kernel;
}

inline model::Experiment small_experiment() {
  model::Experiment experiment;
  experiment.name = "small";
  experiment.file = "small.yaml";
  experiment.problem.name = "nothing";
  experiment.problem.content_hash = "problem-1";
  experiment.problem.templates = {small_template("tiled", tiled_space()),
                                  small_template("simple", simple_space())};
  experiment.workloads = {{"w", 1, {}}};
  tests::set_shipped_target(experiment, "l4");
  experiment.baseline_template = "tiled";
  experiment.baseline = tiled_space().initial();
  experiment.search.population = 8;
  experiment.search.generations = 6;
  experiment.search.max_in_flight = 4;
  experiment.search.seed = 7;
  experiment.resolved_yaml = "name: small\n";
  return experiment;
}

}  // namespace evo::testing
