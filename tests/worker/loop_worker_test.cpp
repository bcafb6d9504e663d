#include "tests/worker/job_suite.hpp"

namespace evo::test {
namespace {

class LoopWorkerSource final : public JobSource {
 public:
  std::vector<std::string> command() override { return {EVO_LOOP_WORKER}; }
  model::Artifact artifact(const std::string& entry) override {
    model::Artifact made;
    made.entry = entry;
    made.arch = "sm_90";
    made.cubin = std::string("ELF\0\x01", 5);
    return made;
  }
};

std::unique_ptr<JobSource> loop_worker() {
  return std::make_unique<LoopWorkerSource>();
}
INSTANTIATE_TEST_SUITE_P(FakeDriver, DeviceJobSuite, testing::Values(&loop_worker));

}  // namespace
}  // namespace evo::test
