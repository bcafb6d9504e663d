// From a run's ledger to an exported variant: RUN/champion and `evo export`.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/run_folder.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

/// Writes `trial` into `output`. Throws model::Exception: (usage) when it was never proven right,
/// (verification_failed) when the problem's source no longer gives the variant that was proven, (environment)
/// when the folder cannot be written.
void export_variant(const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::string& run_name, const std::vector<engine::TrialRecord>& trials,
                    const engine::TrialRecord& trial, const std::filesystem::path& output);

/// export_variant() into RUN/champion.
void write_champion(const RunFolder& folder, const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::vector<engine::TrialRecord>& trials, const engine::TrialRecord& champion);

}  // namespace evo::cli
