// The evaluator's self-test, before a run and as a verb.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "evaluators/selftest/selftest.hpp"
#include "model/experiment.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// Runs the self-test on the stack. `baseline_follows`: a run proves the baseline next, so that is left out.
[[nodiscard]] evaluators::selftest::Report check_evaluator(const model::Experiment& experiment,
                                                           EvaluationStack& stack, std::uint64_t input_seed,
                                                           bool baseline_follows);

/// Throws model::Exception(verification_failed) that names the report's first failed check, if there is one.
void require_passed(const evaluators::selftest::Report& report);

/// Beside the artifact cache.
[[nodiscard]] std::filesystem::path selftest_folder();

/// Runs the self-test on the run's own parts; `tell` hears of each check and may be empty. On the virtual
/// device, whose answers depend on nothing but this program, the compiler and the problem, a success is
/// remembered (a file in `memory`, named by the hash of those) and the test is not repeated; a GPU is asked
/// before every run. Throws as require_passed().
void require_sound_evaluator(const model::Experiment& experiment, EvaluationStack& stack,
                             std::uint64_t input_seed, const Tell& tell,
                             const std::filesystem::path& memory = selftest_folder());

/// As require_sound_evaluator(), but returns the failed check; nothing where all passed.
[[nodiscard]] std::optional<evaluators::selftest::Check> failed_check(
    const model::Experiment& experiment, EvaluationStack& stack, std::uint64_t input_seed, const Tell& tell,
    const std::filesystem::path& memory = selftest_folder());

/// What `evo doctor --evaluator` asks about: `problem` (empty: vector_add) on `device` (empty: auto).
/// Throws as load_problem_or_throw().
[[nodiscard]] model::Experiment doctor_experiment(const std::string& problem, const std::string& device);

}  // namespace evo::session
