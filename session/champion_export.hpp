// From a run's ledger to an exported variant: RUN/champion and `evo export`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/ledger.hpp"
#include "engine/trial.hpp"
#include "export/exporter.hpp"
#include "model/experiment.hpp"
#include "session/final_verdict.hpp"
#include "session/run_folder.hpp"

namespace evo::session {

/// Writes `trial` into `output`. Throws model::Exception: (usage) when it was never proven correct,
/// (verification_failed) when the problem's source no longer gives the variant that was proven, (environment)
/// when the folder cannot be written. `verdict`: the run's on this trial, for provenance.json.
void export_variant(const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::string& run_name, const std::vector<engine::TrialRecord>& trials,
                    const engine::TrialRecord& trial, const std::filesystem::path& output,
                    exporting::Form form = exporting::Form::files,
                    const std::optional<FinalVerdict>& verdict = std::nullopt);

/// Writes the variant `name` (find_variant()) of a run into `output` and returns its trial. Throws
/// model::Exception as find_variant() and export_variant() do, (usage) when the run holds no trial, and
/// (verification_failed) when the ledger was altered or the variant was refused at the end of the run: what
/// leaves a run must be what the run proved.
engine::TrialRecord export_from_run(const OpenedRun& run, const engine::Ledger& ledger,
                                    const std::string& name, const std::filesystem::path& output,
                                    exporting::Form form = exporting::Form::files);

/// export_variant() into RUN/champion.
void write_champion(const RunFolder& folder, const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::vector<engine::TrialRecord>& trials, const engine::TrialRecord& champion,
                    const std::optional<FinalVerdict>& verdict);

}  // namespace evo::session
