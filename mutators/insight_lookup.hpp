// What the insights say of a genome.
#pragma once

#include <optional>

#include "mutators/mutator.hpp"

namespace evo::mutators {

/// The effect of gene=value in the hints' template; nullptr when nothing is known.
[[nodiscard]] const model::ValueEffect* find_effect(const Hints& hints, std::string_view gene,
                                                    const model::Value& value);

/// The first failure pattern of the hints' template that covers `genome`; nullptr if none does.
[[nodiscard]] const model::FailurePattern* covering_pattern(const Hints& hints, const model::Genome& genome);

/// Sum over the changed genes of the known effects, new minus old; nullopt when no changed gene has both.
[[nodiscard]] std::optional<double> predicted_change(const Hints& hints, const model::Genome& from,
                                                     const model::Genome& to);

/// "g3-f2 (BLOCK_N=64, STAGES=3: over_budget by spills, 14 of 14)".
[[nodiscard]] std::string cite(const model::FailurePattern& pattern);
/// "g3-e12 (BLOCK_N=64: -12.1 % [-15.0, -9.1], 9 trials)".
[[nodiscard]] std::string cite(const model::ValueEffect& effect);

}  // namespace evo::mutators
