// The virtual device's model of latency for variants that run elsewhere: what screens them.
#pragma once

#include <memory>

#include "evaluators/evaluator.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/latency_model.hpp"

namespace evo::session {

/// Counts a launch of each workload on the virtual device, without checks and on inputs that are the same in
/// every run, and models its latency on `target`: the figure that the latency gate of the virtual device has.
/// `ladder` has prepared the variants, and outlives the model; `known`: the problem's oracles and inputs.
[[nodiscard]] std::unique_ptr<evaluators::LatencyModel> make_latency_model(
    const evaluators::gates::Ladder& ladder, const model::TargetProfile& target,
    evaluators::oracle::Catalogue known);

}  // namespace evo::session
