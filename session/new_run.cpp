#include "session/new_run.hpp"

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "config/resolved.hpp"

namespace evo::session {

DeviceChoice take_devices(model::Experiment& experiment) {
  DeviceChoice device = choose_devices(experiment.device, experiment.target);
  experiment.device = device.id;
  experiment.resolved_yaml = config::resolved_yaml(experiment);
  return device;
}

namespace {

namespace fs = std::filesystem;

/// What is there of a run before its first trial; a problem's sources, which evo tune keeps, stay.
void remove_traces(const RunFolder& folder) {
  std::error_code ignored;
  const std::string ledger = folder.ledger().string();
  for (const fs::path& file :
       {folder.experiment(), fs::path(ledger), fs::path(ledger + "-wal"), fs::path(ledger + "-shm"),
        folder.log(), folder.path / "farm", folder.path / "lock"})
    fs::remove(file, ignored);
  if (folder.made) fs::remove(folder.path, ignored);  // if nothing else is in it
}

}  // namespace

NewRun::NewRun(const RunFolder& folder, const model::Experiment& experiment) : folder_(folder) {
  lock_.emplace(folder.path);
  write_file_atomically(folder.experiment(), experiment.resolved_yaml);
  ledger_ = engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create);
}

NewRun::~NewRun() {
  try {
    if (!ledger_ || ledger_->meta()) return;
  } catch (const std::exception&) {
    return;  // a ledger that cannot be read is not thrown away
  }
  ledger_.reset();
  remove_traces(folder_);
}

}  // namespace evo::session
