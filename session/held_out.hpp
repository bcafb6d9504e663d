// The champion before data and shapes that no trial has seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/gates/ladder.hpp"
#include "model/experiment.hpp"

namespace evo::session {

class EvaluationStack;

/// Workloads near the experiment's own that are in no file: of each workload twice its largest free axis (not
/// a compile-time one, not one of a list of values) is drawn anew, from half of its value up to one below;
/// the second time every other free axis is one larger too, where its bounds allow that. Depends on `entropy`
/// only.
[[nodiscard]] std::vector<model::Workload> held_out_workloads(const model::Experiment& experiment,
                                                              std::uint64_t entropy);

struct HeldOut {
  std::uint64_t entropy = 0;  ///< of the inputs and the shapes; drawn after the last trial
  std::vector<model::Workload> workloads;
  evaluators::gates::GateReport report;
};

/// The whole ladder for `champion`: the experiment's workloads with other inputs, and held_out_workloads() in
/// the place of the problem's own check workloads.
///
/// The device jobs go to `runner`; correctness asks for `rigour`.
[[nodiscard]] HeldOut check_held_out(const model::Experiment& experiment, EvaluationStack& stack,
                                     evaluators::gates::JobRunner& runner, const model::Variant& champion,
                                     std::uint64_t entropy,
                                     evaluators::gates::Rigour rigour = evaluators::gates::Rigour::champion);

}  // namespace evo::session
