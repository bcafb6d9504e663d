#include "session/insight_records.hpp"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "model/error.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::session {

RunRecords records_of(const engine::Ledger& ledger) {
  return {ledger.trials(), ledger.insights(), ledger.events()};
}

std::vector<RunRecords> further_records(const std::string& run, const engine::Ledger& ledger,
                                        const std::vector<std::string>& further) {
  std::vector<RunRecords> others;
  const auto meta = ledger.meta();
  std::set<std::string> seen;
  for (const std::string& one : further) {
    const auto other = open_ledger_for_reading(RunFolder{one});
    const auto own = other->meta();
    const auto refuse = [&](const std::string& why) {
      throw model::Exception(model::ExitCode::usage, fmt::format("--merge {}: {}", one, why));
    };
    if (!meta || !own) refuse("one of the runs has not begun");
    std::error_code none;
    if (std::filesystem::equivalent(one, run, none) || !seen.insert(one).second) refuse("a run counts once");
    if (own->problem_hash != meta->problem_hash)
      refuse(fmt::format("its problem is not that of {}: effects of two problems are not estimated together",
                         run));
    if (own->latency_kind != meta->latency_kind)
      refuse(fmt::format("its latencies are {}, those of {} are {}: they are never mixed",
                         model::name_of(own->latency_kind), run, model::name_of(meta->latency_kind)));
    others.push_back(records_of(*other));
  }
  return others;
}

std::optional<engine::SearchSpace> space_of_run(const std::string& run) {
  try {
    return engine::make_search_space(open_run(run).experiment);
  } catch (const model::Exception&) {
    return std::nullopt;
  }
}

std::vector<std::string> counters_bounded_in(const std::string& run) {
  try {
    return bounded_counters(open_run(run).experiment);
  } catch (const model::Exception&) {
    return {};
  }
}

std::vector<engine::BanditGeneration> bandit_of_run(const std::string& run, const RunRecords& records) {
  try {
    return engine::bandit_history(open_run(run).experiment.search, records.trials, records.events);
  } catch (const model::Exception&) {
    return {};
  }
}

}  // namespace evo::session
