// What tests of plan_checks() have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "evaluators/gates/check_plan.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {

inline DeviceJob plan_job(std::size_t full, std::size_t odd, std::size_t sets) {
  DeviceJob job;
  for (std::size_t i = 0; i < full + odd; ++i) {
    job.cases.push_back(tests::vector_add_case(static_cast<std::int64_t>(100 - i), false, std::to_string(i)));
  }
  for (std::size_t i = 0; i < sets; ++i) job.input_sets.push_back({std::to_string(i), "normal", {}});
  job.workload_count = full;
  return job;
}

/// Above light_flops, so that not every set is owed, and below what is heavy on the virtual device.
inline constexpr double middling = 4e6;

inline std::map<std::size_t, std::set<std::size_t>> sets_seen(const DeviceJob& job, bool virtual_device) {
  std::map<std::size_t, std::set<std::size_t>> seen;
  for (const Check& check : plan_checks(job, virtual_device)) seen[check.case_index].insert(check.set_index);
  return seen;
}

}  // namespace evo::evaluators::gates
