// The space that a search draws from: without genomes that no launch of the experiment can have.
#pragma once

#include "model/experiment.hpp"
#include "model/space.hpp"

namespace evo::model {

/// bind_space(), and besides the template's own constraints, for each of the experiment's workloads:
/// its sizes lie in the genome's domain; grid and block are within CUDA's and the target's limits, a grid of
/// zero blocks is none; dynamic and predicted static shared memory are within smem_limit. A limit that the
/// template's constraints imply already adds nothing. What cannot be evaluated is left to the legality gate.
[[nodiscard]] Space searched_space(const Experiment& experiment, const Template& kernel);

}  // namespace evo::model
