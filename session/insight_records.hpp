// What `evo insights` reads of a run, and of further runs that are estimated together with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/bandit.hpp"
#include "engine/ledger.hpp"
#include "engine/search_space.hpp"
#include "session/insight_summary.hpp"

namespace evo::session {

/// All that a summary is made of. Throws model::Exception where the ledger cannot be read.
[[nodiscard]] RunRecords records_of(const engine::Ledger& ledger);

/// Those of the runs in the folders `further`, in their order, for effects that are estimated together with
/// the run's in folder `run`, whose ledger is `ledger`. Throws model::Exception(usage) for a run that has not
/// begun, that counts twice, that is of another problem or whose latencies are of another kind; and as
/// open_ledger_for_reading() does.
[[nodiscard]] std::vector<RunRecords> further_records(const std::string& run, const engine::Ledger& ledger,
                                                      const std::vector<std::string>& further);

/// The templates of the experiment of the run in folder `run`; nullopt where they are no longer there, which
/// a summary can do without.
[[nodiscard]] std::optional<engine::SearchSpace> space_of_run(const std::string& run);
/// Counters that the run's experiment bounds; none where it is no longer there.
[[nodiscard]] std::vector<std::string> counters_bounded_in(const std::string& run);
/// Weights of the run's operators; none where its experiment is no longer there, or has no bandit.
/// `records`: the run's.
[[nodiscard]] std::vector<engine::BanditGeneration> bandit_of_run(const std::string& run,
                                                                  const RunRecords& records);

}  // namespace evo::session
