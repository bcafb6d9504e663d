#include "session/new_run.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "config/resolved.hpp"

namespace evo::session {

DeviceChoice take_devices(model::Experiment& experiment) {
  DeviceChoice device = choose_devices(experiment.device, experiment.target, Models::several);
  experiment.device = device.id;
  experiment.resolved_yaml = config::resolved_yaml(experiment);
  return device;
}

namespace {

namespace fs = std::filesystem;

/// What there may be of a run before its first trial.
std::vector<fs::path> traces_of(const RunFolder& folder) {
  const std::string ledger = folder.ledger().string();
  return {folder.experiment(), fs::path(ledger),     fs::path(ledger + "-wal"), fs::path(ledger + "-shm"),
          folder.log(),        folder.path / "farm", folder.path / "lock"};
}

/// A problem's sources, which evo tune keeps, stay, and so does what stood there before.
void remove_traces(const RunFolder& folder, const std::vector<fs::path>& before) {
  std::error_code ignored;
  for (const fs::path& file : traces_of(folder))
    if (std::ranges::find(before, file) == before.end()) fs::remove(file, ignored);
  if (folder.made) fs::remove(folder.path, ignored);  // if nothing else is in it
}

}  // namespace

NewRun::NewRun(const RunFolder& folder, const model::Experiment& experiment) : folder_(folder) {
  std::error_code ignored;
  for (const fs::path& file : traces_of(folder))
    if (fs::exists(file, ignored) && file != folder.log()) before_.push_back(file);
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
  remove_traces(folder_, before_);
}

}  // namespace evo::session
