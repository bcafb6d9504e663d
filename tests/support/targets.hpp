// The GPU models that ship.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "config/targets.hpp"
#include "model/experiment.hpp"
#include "model/target.hpp"

namespace evo::tests {

/// Throws with the loader's own words.
inline const std::vector<model::TargetProfile>& shipped_targets() {
  static const auto targets = config::load_targets({EVO_SOURCE_DIR "/targets"});
  if (!targets) throw std::runtime_error(targets.error().text());
  return *targets;
}

inline const model::TargetProfile& shipped_target(const std::string& name) {
  const model::TargetProfile* found = model::find_target(shipped_targets(), name);
  if (found == nullptr) throw std::runtime_error("there is no target " + name);
  return *found;
}

inline void set_shipped_target(model::Experiment& experiment, const std::string& name) {
  experiment.target = shipped_target(name);
  experiment.known_targets = shipped_targets();
}

}  // namespace evo::tests
