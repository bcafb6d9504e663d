#include "evaluators/gates/between_blocks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "evaluators/devices/schedules.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

/// The exact machine takes some seconds for these.
constexpr std::size_t most_cases_between = 6, most_sets_between = 2;
constexpr std::uint64_t most_blocks_waiting = 256;
constexpr std::uint64_t a_warp_sees = 32;

std::uint64_t all_blocks_of(const model::Case& bound) {
  const auto& grid = bound.launch.grid;
  return std::uint64_t{grid[0]} * grid[1] * grid[2];
}

}  // namespace

bool may_wait_for_blocks(const std::string& ptx) {
  for (const std::string_view access : {"ld.acquire", "ld.relaxed", "ld.volatile", "atom."}) {
    for (std::size_t at = ptx.find(access); at != std::string::npos; at = ptx.find(access, at + 1)) {
      const std::string_view line(ptx.data() + at, std::min(ptx.find_first_of("\n;", at), ptx.size()) - at);
      const bool looks =
          !access.starts_with("atom") || line.find(".cas") != line.npos || line.find(".exch") != line.npos;
      if (looks && line.find(".shared") == line.npos) return true;
    }
  }
  return false;
}

std::uint64_t schedule_of_check(const model::Case& bound, const std::string& ptx, std::uint32_t draw) {
  // A block says what it has alone in one access or two, some behind one that gives it its number.
  constexpr std::uint32_t first = 2, ways = 3;
  constexpr std::uint64_t most = 512;
  const std::uint64_t blocks = all_blocks_of(bound);
  if (blocks <= a_warp_sees || blocks > most || draw % 2 != 0 || !may_wait_for_blocks(ptx)) return 0;
  return devices::schedule_where_all_stop(first + draw / 2 % ways);
}

std::optional<DeviceJob> job_between_blocks(const DeviceJob& job, model::Artifact artifact) {
  DeviceJob some = job;
  some.artifact = std::move(artifact);
  some.timed_cases.clear();
  some.fastest_us.clear();
  some.perturbed_launches = 0;
  some.whole_launches = true;
  const std::size_t declared = job.declared_sets == 0 ? job.input_sets.size() : job.declared_sets;
  some.input_sets.resize(std::min({declared, most_sets_between, job.input_sets.size()}));
  some.declared_sets = some.input_sets.size();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const CaseUse use = use_of(job, i);
    const bool plain = use == CaseUse::workload || use == CaseUse::odd || use == CaseUse::drawn;
    if (plain && all_blocks_of(job.cases[i]) > 1 && all_blocks_of(job.cases[i]) <= most_blocks_waiting &&
        job.cases[i].flops <= light_flops && !oracle::has_64bit_strides(job.cases[i]))
      chosen.push_back(i);
  }
  if (chosen.empty()) return std::nullopt;
  // Those of the most blocks: they have most to tell each other.
  std::ranges::stable_sort(chosen, [&](std::size_t a, std::size_t b) {
    return all_blocks_of(job.cases[a]) > all_blocks_of(job.cases[b]);
  });
  chosen.resize(std::min(chosen.size(), most_cases_between));
  some.cases.clear();
  some.uses.clear();
  for (const std::size_t i : chosen) {
    some.cases.push_back(job.cases[i]);
    some.uses.push_back(use_of(job, i));
  }
  some.workload_count = 0;
  return some;
}

}  // namespace evo::evaluators::gates
