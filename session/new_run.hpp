// How a run begins: the device that it takes, and a folder that holds its experiment and an empty ledger.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/ledger.hpp"
#include "model/experiment.hpp"
#include "session/device_choice.hpp"
#include "session/run_folder.hpp"

namespace evo::session {

/// Chooses the devices of a run and names them in the experiment and its resolved YAML, so that a resumed run
/// takes the same. Throws model::Exception(environment) as choose_devices().
[[nodiscard]] DeviceChoice take_devices(model::Experiment& experiment);

/// Writes `experiment` into the folder and makes its ledger; holds the folder's lock as long as it lives.
/// Throws model::Exception(environment): in use, no permission, full disk. A run that has not begun when it
/// ends (no such device, no server of a farm) is none: what was written of it goes, so that the same folder
/// can be taken again.
class NewRun {
 public:
  NewRun(const RunFolder& folder, const model::Experiment& experiment);
  ~NewRun();
  NewRun(const NewRun&) = delete;
  NewRun& operator=(const NewRun&) = delete;
  [[nodiscard]] engine::Ledger& ledger() { return *ledger_; }

 private:
  RunFolder folder_;
  std::vector<std::filesystem::path> before_;  ///< what stood there
  std::optional<engine::RunLock> lock_;
  std::unique_ptr<engine::Ledger> ledger_;
};

}  // namespace evo::session
