// The evaluator's self-test, before a run and as a verb.
#pragma once

#include "cli/options.hpp"
#include "evaluators/selftest/selftest.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

class Assembly;

/// Runs the self-test on the run's own parts. On the virtual device, whose answers depend on nothing but this
/// program, the compiler and the problem, a success is remembered (a file in the cache folder, named by the
/// hash of those) and the test is not repeated; a GPU is asked before every run. Throws
/// model::Exception(verification_failed) that names the first check that failed.
void require_sound_evaluator(const model::Experiment& experiment, Assembly& assembly,
                             std::uint64_t input_seed, const CommonOptions& common);

/// `evo doctor --evaluator`: always runs it, prints every check; exit code 0 or 6.
int doctor_evaluator(const Options& options);

}  // namespace evo::cli
