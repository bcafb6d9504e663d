// What run and resume share: a locked folder, an evaluator, the campaign, its report and exit code.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options.hpp"
#include "cli/run_folder.hpp"
#include "engine/ledger.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

struct SessionOptions {
  int threads = 0;  ///< 0 = one per core
  bool explain = false;
  std::uint64_t input_seed = 0;
};

/// Runs the campaign in `folder`, prints progress, writes report and champion, prints the result. Returns the
/// exit code: 0 done or budget, 5 nothing but the baseline is proven, 6 baseline invalid, 130 interrupted.
int run_session(const CommonOptions& common, const model::Experiment& experiment, const RunFolder& folder,
                engine::Ledger& ledger, const SessionOptions& options);

[[nodiscard]] int threads_or_cores(int threads);

}  // namespace evo::cli
