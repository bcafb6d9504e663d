#include "evaluators/gates/check_plan.hpp"

#include <algorithm>
#include <numeric>

#include "evaluators/gates/case_buffers.hpp"
#include "model/error.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

std::vector<std::size_t> sets_of_case(const DeviceJob& job, std::size_t case_index, bool virtual_device) {
  const std::size_t sets = job.input_sets.size();
  if (virtual_device && case_index >= job.full_cases && sets > 1) {
    return {0, 1 + (case_index - job.full_cases) % (sets - 1)};
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
  while (checks.size() < alignment_count) checks.push_back({0, 0});
  model::RandomStream stream({.seed = job.input_seed, .generation = 0, .slot = 0, .purpose = "poison"});
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].alignment_shift = static_cast<unsigned>(i % alignment_count);
    checks[i].poison = stream.next_u32();
    checks[i].finite_poison = i % 3 == 2;
  }
  return checks;
}

}  // namespace evo::evaluators::gates
