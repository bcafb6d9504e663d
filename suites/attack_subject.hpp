// What a fixture of the attack suite, or a bug of the table of bugs, is taken up the ladder as.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/experiment.hpp"
#include "suites/attack_manifest.hpp"

namespace evo::suites {

/// What `evo check` would do with the fixture, under limits that suit a suite; of a bug, with the edited
/// template. `folder` is the suite's. Throws model::Exception(invalid_configuration) where the fixture does
/// not fit its problem.
[[nodiscard]] model::Experiment attack_experiment(const Attack& attack, const std::filesystem::path& folder,
                                                  std::uint64_t input_seed);

}  // namespace evo::suites
