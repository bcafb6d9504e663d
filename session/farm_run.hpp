// The coordinator of a farm: an evaluation whose device jobs run elsewhere.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "farm/calls.hpp"
#include "session/evaluation_stack.hpp"
#include "session/run_folder.hpp"

namespace evo::session {

/// Where a farm is: `evo run --farm URL --token-file FILE --ca FILE`.
struct FarmAddress {
  std::string url, token_file, ca_file;
  [[nodiscard]] bool wanted() const { return !url.empty(); }
};

/// What became of a run's jobs.
struct FarmCounts {
  farm::CallCounts calls{};
  std::uint64_t local = 0;    ///< jobs that were the farm's and ran here: too long, or no worker had a result
  std::uint64_t here = 0;     ///< jobs that this machine did because no worker had room for them
  std::uint64_t audited = 0;  ///< results that were computed here too, and are the same
  std::uint64_t shared = 0;   ///< compiles that this or another run of the farm had made before
  std::uint64_t set_aside = 0;  ///< of workers whose timings do not fit this machine's, computed here
};

struct OnFarm {
  StackParts parts;
  std::function<FarmCounts()> counts;
  std::function<int()> comparisons;  ///< in turn, that workers take of this run at a time now
};

/// `parts` whose work goes to the farm, by what its workers can do: compiles to those with this NVRTC, what
/// gates ask of the virtual device to all, and a GPU's jobs to GPUs of the same model and driver. What no
/// worker has room for is done here; only a run on the virtual device waits for workers with its jobs. What
/// proves the champion at the end (StackParts::fresh_runner, search_is_over) stays in this process: no worker
/// has a say in it. `folder` remembers the run's name in the farm, so that whoever resumes it takes away what
/// it left. `threads`: what this machine does of the virtual device's jobs at a time. Throws
/// model::Exception: (usage) the address; (invalid_configuration) an oracle that workers elsewhere do not
/// have; (environment) no library, no server.
[[nodiscard]] OnFarm on_farm(StackParts parts, const FarmAddress& address,
                             const model::Experiment& experiment, const RunFolder& folder, int threads,
                             const std::stop_token& stop, const Tell& tell);

}  // namespace evo::session
