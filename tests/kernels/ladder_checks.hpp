// What the tests of attention_forward's templates on the ladder have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/kernels/on_ladder.hpp"

namespace evo::tests {

/// small_attention() from a template's initial genome, in the class fp32-softmax.
model::Experiment small_attention_of(const std::string& kernel, std::int64_t head_dim = 64);

/// Takes the constraint at this position out of the baseline's template; its reason.
std::string take_out_constraint(model::Experiment& experiment, std::size_t position);

/// Proves random legal genomes with all barriers at full strength: four that have `small` genes too, or,
/// where the environment says PREFIX_SAMPLES=200, so many over all genes, with a line each. PREFIX_SEED draws
/// others. `make` gives the experiment for a head_dim; the class is that of the genome.
void expect_random_genomes_correct(const std::string& prefix, const Genes& small,
                                   const std::function<model::Experiment(std::int64_t)>& make);

/// How much of its dynamic shared memory the launch of one sanitize shape used, in bytes.
struct SharedMemoryUse {
  std::int64_t predicted = 0, touched = 0;
  std::string message;
};
/// Of each sanitize shape of the baseline's template with these genes. Expects that they are legal, compile
/// and pass the sanitize gate.
std::vector<SharedMemoryUse> shared_memory_use(const model::Experiment& experiment, const Genes& genes);

/// Expects that the shape that goes furthest comes to the end of what was predicted, but for so many bytes.
void expect_touched_to_the_end(const model::Experiment& experiment, const Genes& genes, std::int64_t padding);

/// A barrier in a part of the space, and whether it is enough there.
struct BarrierCase {
  std::string name;
  bool enough;
  Genes genes;
  std::string file = {};  ///< where the race is, if it is not enough; "" for any source or header
};
void PrintTo(const BarrierCase& site, std::ostream* out);

/// Expects that the initial genome with the case's genes is correct, or else refused by the sanitize gate for
/// one of these reasons, with file and line.
void expect_needed_or_not(const model::Experiment& experiment, const BarrierCase& site,
                          const std::set<std::string>& reasons);

}  // namespace evo::tests
