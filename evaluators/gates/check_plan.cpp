#include "evaluators/gates/check_plan.hpp"

#include <algorithm>
#include <numeric>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

/// Interpreting a launch of this much arithmetic takes seconds, and there are a dozen of them to a trial.
constexpr double heavy_flops = 268435456;  // 2^28

bool sees_every_set(const DeviceJob& job, std::size_t case_index, bool virtual_device) {
  if (oracle::has_far_view(job.cases[case_index])) return false;
  if (!virtual_device) return true;
  return case_index < job.full_cases && job.cases[case_index].flops <= heavy_flops;
}

/// Which turn an odd shape takes. Far views count apart: what they are for shows on any data.
std::size_t turn_of(const DeviceJob& job, std::size_t case_index) {
  const bool far = oracle::has_far_view(job.cases[case_index]);
  const auto begin = job.cases.begin();
  return static_cast<std::size_t>(std::count_if(
      begin + static_cast<std::ptrdiff_t>(job.full_cases), begin + static_cast<std::ptrdiff_t>(case_index),
      [&](const model::Case& other) { return oracle::has_far_view(other) == far; }));
}

std::vector<std::size_t> sets_of_case(const DeviceJob& job, std::size_t case_index, bool virtual_device) {
  const std::size_t sets = job.input_sets.size();
  if (!sees_every_set(job, case_index, virtual_device) && sets > 1) {
    // Odd shapes begin the round with the second set; heavy workloads take theirs from its end.
    const std::size_t turn =
        case_index >= job.full_cases ? turn_of(job, case_index) : sets - 2 - case_index % (sets - 1);
    return {0, 1 + turn % (sets - 1)};
  }
  std::vector<std::size_t> all(sets);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

std::vector<Check> plan_checks(const DeviceJob& job, bool virtual_device) {
  if (job.cases.empty() || job.input_sets.empty()) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           "the correctness gate has no workload or no input set: nothing would be proven");
  }
  std::vector<std::size_t> order(job.cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return job.cases[a].flops < job.cases[b].flops; });
  std::vector<Check> checks;
  for (const std::size_t case_index : order) {
    for (const std::size_t set_index : sets_of_case(job, case_index, virtual_device)) {
      checks.push_back({case_index, set_index});
    }
  }
  for (std::size_t set_index = 0; set_index < job.input_sets.size(); ++set_index) {
    const bool seen = std::any_of(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.set_index == set_index; });
    if (!seen) checks.push_back({order.front(), set_index});
  }
  while (checks.size() < alignment_count) checks.push_back({0, 0});
  model::RandomStream stream({.seed = job.input_seed, .generation = 0, .slot = 0, .purpose = "poison"});
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].alignment_shift = static_cast<unsigned>(i % alignment_count);
    checks[i].poison = stream.next_u32();
    checks[i].finite_poison = i % 3 == 2;
  }
  return checks;
}

std::size_t repeated_case(const DeviceJob& job, bool virtual_device) {
  if (!virtual_device || job.cases.front().flops <= heavy_flops) return 0;
  std::size_t best = job.cases.size();
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const double flops = job.cases[i].flops;
    if (flops <= heavy_flops && (best == job.cases.size() || flops > job.cases[best].flops)) best = i;
  }
  return best == job.cases.size() ? 0 : best;
}

}  // namespace evo::evaluators::gates
