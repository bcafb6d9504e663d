// Replay: regenerate every proposal, prepare and evaluate every variant again, and compare with the ledger.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ledger.hpp"
#include "evaluators/evaluator.hpp"
#include "evaluators/latency_model.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// One thing that is not as the ledger says.
struct Mismatch {
  std::int64_t index = 0;  ///< trial; or the row's number in `table`
  std::string table;       ///< "trials", "generations", "insights", "events", "meta"
  std::string field;       ///< "status", "genes", ...; "row" when the row does not fit its hash
  std::string expected;    ///< what the ledger says
  std::string got;         ///< what the replay found
};

struct ReplayReport {
  std::int64_t trials = 0;  ///< replayed
  std::vector<Mismatch> mismatches;
  [[nodiscard]] bool match() const { return mismatches.empty(); }
};

struct ReplayOptions {
  int threads = 1;       ///< variants prepared and evaluated at a time
  std::stop_token stop;  ///< ends early with model::Exception(interrupted)
  /// As CampaignOptions::latency_model: every choice is made again.
  evaluators::LatencyModel* latency_model = nullptr;
};

/// Replays the whole run. Measured latencies, and verdicts that a clock decided (events), are taken from the
/// ledger; modelled and recorded latencies are obtained again and must be equal. Throws as check_resumable()
/// when toolchain, device or problem are others.
[[nodiscard]] ReplayReport replay_run(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                                      const Ledger& ledger, const ReplayOptions& options = {});

/// Replays the first trial of one variant (id or a unique prefix of it). Throws model::Exception(usage) when
/// the ledger has no such variant.
[[nodiscard]] ReplayReport replay_variant(const model::Experiment& experiment,
                                          evaluators::Evaluator& evaluator, const Ledger& ledger,
                                          std::string_view variant, const ReplayOptions& options = {});

}  // namespace evo::engine
