// RUN/: experiment.yaml (resolved), ledger.sqlite, log, report, champion/, lock.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/ledger.hpp"
#include "model/error.hpp"
#include "model/experiment.hpp"

namespace evo::session {

struct RunFolder {
  std::filesystem::path path;
  bool made = false;  ///< by create_run(): nobody had it before

  [[nodiscard]] std::filesystem::path experiment() const { return path / "experiment.yaml"; }
  [[nodiscard]] std::filesystem::path ledger() const { return path / "ledger.sqlite"; }
  [[nodiscard]] std::filesystem::path log() const { return path / "log"; }
  [[nodiscard]] std::filesystem::path report() const { return path / "report"; }
  [[nodiscard]] std::filesystem::path champion() const { return path / "champion"; }
};

/// runs/NAME-YYYYMMDD-HHMMSS-XXXX below the working directory, not existing yet.
[[nodiscard]] std::filesystem::path new_run_path(const std::string& experiment_name);

/// Makes the folder of a new run. Throws model::Exception: (usage) when `path` already holds a run,
/// (environment) when it cannot be made.
[[nodiscard]] RunFolder create_run(const std::filesystem::path& path);

/// Writes `text` so that after a crash the file is the old one or the new one, whole.
/// Throws model::Exception(environment): no permission, full disk.
void write_file_atomically(const std::filesystem::path& file, const std::string& text);

/// The error (usage) that `path` is no run folder: that nothing is there, that it is a file, or what it
/// lacks; with the run that was meant, as far as one is near.
[[nodiscard]] model::Exception no_run_folder(const std::filesystem::path& path,
                                             const std::string& lacks = "ledger.sqlite");

/// An existing run: its experiment, read from the folder. Throws model::Exception(usage) when `path` is no
/// run folder, and (invalid_configuration) when its experiment.yaml or the problem it names cannot be read.
struct OpenedRun {
  RunFolder folder;
  model::Experiment experiment;
};
[[nodiscard]] OpenedRun open_run(const std::string& path);

}  // namespace evo::session
