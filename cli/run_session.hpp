// What run and resume share: an evaluator, the campaign, its report and exit code.
#pragma once

#include <cstdint>
#include <functional>

#include "cli/options.hpp"
#include "engine/ledger.hpp"
#include "model/experiment.hpp"
#include "session/run_folder.hpp"

namespace evo::cli {

struct RunSettings {
  int threads = 0;  ///< 0 = one per core
  bool explain = false;
  std::uint64_t input_seed = 0;
  LookOptions look;
  FarmOptions farm;
  std::int64_t idle_checks = 0;
  /// Asked where the baseline is refused: true ends the session with `begin_again`, and nothing is printed.
  std::function<bool(const engine::TrialRecord&)> mends{};
};

/// What run_session() returns where `mends` has mended the problem: no exit code.
inline constexpr int begin_again = -1;

/// Runs the campaign in `folder`, prints progress, writes report and champion, prints the result. Returns the
/// exit code (session::RunOutcome::exit_code).
int run_session(const terminal::CommonOptions& common, const model::Experiment& experiment,
                const session::RunFolder& folder, engine::Ledger& ledger, const RunSettings& settings);

}  // namespace evo::cli
