#include "terminal/failure_counts.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::terminal {
namespace {

struct FailureCount {
  std::string status, reason;
  std::int64_t count = 0;
};

std::vector<FailureCount> failure_counts(const std::vector<engine::TrialRecord>& trials) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const engine::TrialRecord& trial : trials) {
    if (!trial.correct() && trial.status != model::Status::duplicate)
      ++counts[{std::string(model::name_of(trial.status)), trial.reason}];
  }
  std::vector<FailureCount> list;
  for (const auto& [how, count] : counts) list.push_back({how.first, how.second, count});
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return list;
}

}  // namespace

boost::json::array failure_counts_json(const std::vector<engine::TrialRecord>& trials) {
  boost::json::array list;
  for (const FailureCount& each : failure_counts(trials))
    list.push_back({{"status", each.status}, {"reason", each.reason}, {"count", each.count}});
  return list;
}

std::string failure_counts_text(const std::vector<engine::TrialRecord>& trials) {
  std::int64_t all = 0;
  std::vector<std::string> parts;
  for (const FailureCount& each : failure_counts(trials)) {
    all += each.count;
    parts.push_back(fmt::format("{} ({}) {}", each.status, each.reason, each.count));
  }
  if (all == 0) return {};
  return fmt::format("{} of {} trials failed: {}\n", all, trials.size(), fmt::join(parts, ", "));
}

}  // namespace evo::terminal
