#include "evaluators/gates/prefetch.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::gates {

bool is_conditioned(const JobContext& context, const Check& check) {
  const DeviceJob& job = context.job;
  const CaseUse use = use_of(job, check.case_index);
  return oracle::rules_of(context.cache.catalogue(), job.input_sets[check.set_index]).conditioned ||
         use == CaseUse::changed || use == CaseUse::rescaled || use == CaseUse::unusual ||
         use == CaseUse::ranged;
}

void prefetch_references(const JobContext& context, std::span<const Check> checks) {
  if (context.on_virtual_device() || checks.size() < 2) return;
  // Isolated, so that this thread does not pick up a check while it waits.
  tbb::this_task_arena::isolate([&] {
    // Workers that share what they make begin in different places.
    const std::size_t first = static_cast<std::size_t>(::getpid()) * 0x9e3779b97f4a7c15U % checks.size();
    tbb::parallel_for(std::size_t{0}, checks.size(), [&](std::size_t i) {
      const Check& check = checks[(first + i) % checks.size()];
      static_cast<void>(context.reference(context.job.cases[check.case_index],
                                          context.job.input_sets[check.set_index],
                                          {.seed = context.job.input_seed}, is_conditioned(context, check)));
    });
  });
}

}  // namespace evo::evaluators::gates
