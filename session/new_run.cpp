#include "session/new_run.hpp"

#include "config/resolved.hpp"

namespace evo::session {

DeviceChoice take_devices(model::Experiment& experiment) {
  DeviceChoice device = choose_devices(experiment.device, experiment.target);
  experiment.device = device.id;
  experiment.resolved_yaml = config::resolved_yaml(experiment);
  return device;
}

NewRun::NewRun(const RunFolder& folder, const model::Experiment& experiment) : lock_(folder.path) {
  write_file_atomically(folder.experiment(), experiment.resolved_yaml);
  ledger_ = engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create);
}

}  // namespace evo::session
