// The coordinator of a farm: an evaluation whose device jobs run elsewhere.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "farm/runner.hpp"
#include "session/evaluation_stack.hpp"
#include "session/run_folder.hpp"

namespace evo::session {

/// Where a farm is: `evo run --farm URL --token-file FILE --ca FILE`.
struct FarmAddress {
  std::string url, token_file, ca_file;
  [[nodiscard]] bool wanted() const { return !url.empty(); }
};

struct OnFarm {
  StackParts parts;
  std::function<farm::FarmCounts()> counts;
};

/// `parts` with the runner that every trial goes through on the farm. What proves the champion at the end
/// (StackParts::fresh_runner) stays in this process: no worker has a say in it. `folder` remembers the run's
/// name in the farm, so that whoever resumes it takes away what it left. Throws model::Exception: (usage) the
/// address; (invalid_configuration) a device or an oracle that workers elsewhere do not have; (environment)
/// no library, no server.
[[nodiscard]] OnFarm on_farm(StackParts parts, const FarmAddress& address,
                             const model::Experiment& experiment, const RunFolder& folder,
                             const std::stop_token& stop, const Tell& tell);

}  // namespace evo::session
