// Problems whose oracles are data, judged in another process: what a run asks of a worker before its first
// trial, the baseline as the good kernel among it.
#include <unistd.h>

#include <memory>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/worker/pool.hpp"
#include "packs/builtin.hpp"
#include "session/evaluation_stack.hpp"
#include "session/evaluator_check.hpp"
#include "session/load.hpp"

namespace evo::session {
namespace {

namespace compile = evaluators::compile;

class DirectCompiler final : public compile::Compiler {
 public:
  explicit DirectCompiler(compile::Nvrtc nvrtc) : nvrtc_(std::move(nvrtc)) {}
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const compile::CompileRequest& request) override {
    return compile::run_compile(nvrtc_, request);
  }
  [[nodiscard]] std::string version() const override { return nvrtc_.version(); }

 private:
  compile::Nvrtc nvrtc_;
};

class WorkerExamples : public ::testing::TestWithParam<const char*> {};

TEST_P(WorkerExamples, AreJudgedByTheProblemsOwnOracle) {
  std::shared_ptr<DirectCompiler> compiler;
  try {
    auto nvrtc = compile::Nvrtc::load();
    const auto& folders = nvrtc.include_folders();
    if (!folders.empty()) {
      ASSERT_EQ(::chdir(folders.front().c_str()), 0);
    }
    compiler = std::make_shared<DirectCompiler>(std::move(nvrtc));
  } catch (const model::Exception& error) {
    GTEST_SKIP() << error.what();
  }
  const std::string file = std::string(EVO_SOURCE_DIR) + "/examples/" + GetParam() + "/experiment.yaml";
  const model::Experiment experiment = load_experiment_or_throw(file, {});
  StackParts parts;
  parts.device = "virtual";
  parts.compiler = compiler;
  *parts.known = packs::catalogue_of(packs::builtin());
  parts.virtual_device = [target = experiment.target] {
    return std::make_unique<evaluators::devices::VirtualDevice>(target);
  };
  parts.runner = [] {
    evaluators::worker::DeviceWorkerPoolOptions options;
    options.commands = {{EVO_VIRTUAL_WORKER}};
    options.spare = false;
    return std::make_unique<evaluators::worker::DeviceWorkerPool>(options);
  };
  parts.fresh_runner = parts.runner;
  EvaluationStack stack(experiment, std::move(parts), 5);
  const auto report = check_evaluator(experiment, stack, 5, false);
  const auto* failed = report.first_failure();
  EXPECT_EQ(failed, nullptr) << (failed == nullptr ? "" : failed->name + ": " + failed->message);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WorkerExamples,
                         ::testing::Values("sgemm", "softmax_expression", "npy_recording", "reduction",
                                           "histogram", "convolution", "texture", "split_k", "compaction"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace evo::session
