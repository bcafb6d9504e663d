// A champion's launches under changed surroundings: which, and the check that all of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// Launches that follow each other without a pause, each into a set of buffers of its own, all on the same
/// inputs.
struct PerturbedBatch {
  std::size_t case_index = 0;
  std::uint64_t rotation = 0;      ///< of the inputs; see oracle::InputKey
  unsigned alignment_shift = 0;    ///< for CaseBuffers::create
  std::uint64_t spacer_bytes = 0;  ///< allocated before the buffers, so that these lie elsewhere each time
  bool cold = false;           ///< the L2 is flushed before every launch; otherwise only the poison is there
  bool load = false;           ///< a kernel of our own moves memory beside them
  bool finite_poison = false;  ///< of outputs, workspaces and shared memory
  std::vector<std::uint32_t> poisons;  ///< one a launch
};
[[nodiscard]] std::string text_of(const PerturbedBatch& batch);

/// Batches of DeviceJob::perturbed_launches launches in all. They go to the workloads whose buffers fit into
/// 64 MiB, or to the one with the smallest; every (workload, inputs) pair meets warm and cold caches, with
/// and without a load, and all base alignments. Depends on the job only.
[[nodiscard]] std::vector<PerturbedBatch> plan_perturbation(const DeviceJob& job);

/// All launches on the same inputs must write the same bits, else nondeterministic / "perturbed_differs"; the
/// first answer to each inputs must be correct. On a device without surroundings (a virtual one permutes its
/// orders instead) nothing is launched, and `notes` gets why; otherwise it gets what was done.
[[nodiscard]] std::optional<model::Failure> check_perturbed(const JobContext& context,
                                                            std::vector<model::Evidence>& notes);

}  // namespace evo::evaluators::gates
