// What a pool must do with real jobs, run against the worker loop on a fake driver everywhere, and against
// real workers where there is a GPU (label gpu).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/worker/pool.hpp"

namespace evo::test {

/// Kernels (const float* a, const float* b, float* c, int n): add, wrong (one element off), misaligned,
/// illegal, endless, overrun (writes c[n]), stale (adds to what c held), leftover (counts on zeros in
/// shared memory).
class JobSource {
 public:
  virtual ~JobSource() = default;
  [[nodiscard]] virtual std::vector<std::string> command() = 0;
  /// Empty if there is no device; `why_not` then says why.
  [[nodiscard]] virtual model::Artifact artifact(const std::string& entry) = 0;
  std::string why_not;
};
/// c = a + b over 1000 elements with that kernel.
[[nodiscard]] evaluators::gates::DeviceJob make_add_job(model::Artifact artifact, bool timed);

using JobSourceFactory = std::unique_ptr<JobSource> (*)();

class DeviceJobSuite : public testing::TestWithParam<JobSourceFactory> {
 protected:
  void SetUp() override;
  [[nodiscard]] evaluators::gates::DeviceJob job(const std::string& entry, bool timed = false);
  void expect_correct();
  /// The job fails in its gate with this status and reason, and the next one is correct.
  model::Failure expect_failure(const std::string& entry, model::Status status, const std::string& reason);

  std::unique_ptr<JobSource> source_;
  std::unique_ptr<evaluators::worker::DeviceWorkerPool> pool_;
};

}  // namespace evo::test
