// What validate and check do: a baseline up the ladder, with its verdicts on stdout.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

/// Whether the evaluator's self-test comes first, as before a run: it refuses a problem whose inputs and
/// tolerance do not see mistakes.
enum class SelfTest : std::uint8_t { ask, skip };

/// Takes the experiment's baseline up the whole ladder on its device and prints the verdicts. Returns 0 when
/// it is valid, 6 when not. Throws model::Exception(verification_failed) where the self-test fails.
/// `barriers`: where the kernel is valid, each barrier of its source is audited, too
/// (diagnose/barrier_audit.hpp), which changes no exit code. `again`: a further try, whose notes were
/// printed.
int prove_and_print(const terminal::CommonOptions& common, const model::Experiment& experiment,
                    const std::string& what, SelfTest self_test, bool barriers = false, bool again = false);

}  // namespace evo::cli
