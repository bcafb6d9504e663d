// A device job around vector_add, small enough for hundreds of runs.
#pragma once

#include "evaluators/gates/device_job.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_device.hpp"

namespace evo::tests {

inline evaluators::gates::DeviceJob vector_add_job() {
  evaluators::gates::DeviceJob job;
  job.artifact.entry = "add";
  job.oracle = "vector_add";
  job.input_sets = {{"normal", "normal", {}},
                    {"shifted", "normal", {{"mean", 50}}},
                    {"wide", "normal", {{"deviation", 9}}}};
  job.tolerance = {"fp32", 1e-6, 1e-5};
  job.cases = {vector_add_case(256, false, "even"), vector_add_case(33, true, "odd"),
               vector_add_case(1, false, "one")};
  job.workload_count = 1;
  job.timed_cases = {job.cases[0]};
  job.input_seed = 77;
  job.settings.repeated_launches = 20;
  job.settings.permuted_runs = 3;
  job.settings.timing_samples = 20;
  return job;
}

}  // namespace evo::tests
