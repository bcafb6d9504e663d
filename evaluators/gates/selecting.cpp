#include "evaluators/gates/selecting.hpp"

#include <cstdint>

#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t small_bytes = std::int64_t{1} << 22;

const model::Case& telling_case(const DeviceJob& job) {
  const model::Case* chosen = &job.cases.front();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const CaseUse use = use_of(job, i);
    const std::int64_t bytes = oracle::case_bytes(job.cases[i]);
    if ((use != CaseUse::workload && use != CaseUse::odd) || bytes > small_bytes || bytes <= most) continue;
    chosen = &job.cases[i];
    most = bytes;
  }
  return *chosen;
}

}  // namespace

bool problem_selects(const JobContext& context) {
  const model::Case& telling = telling_case(context.job);
  if (oracle::case_bytes(telling) > small_bytes) return false;  // a look at all of it costs too much
  const auto answer =
      context.reference(telling, context.job.input_sets.front(), {.seed = context.job.input_seed});
  return answer->selects.or_find([&] { return oracle::selects_inputs(telling, answer->inputs, *answer); });
}

}  // namespace evo::evaluators::gates
