#include "session/until_abandoned.hpp"

#include <utility>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "model/error.hpp"

namespace evo::session {
namespace {

using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;
using evaluators::gates::JobRunner;

void require_wanted(const Abandoned& abandoned) {
  if (*abandoned) throw model::Exception(model::ExitCode::interrupted, "nobody waits for it any more");
}

class RunnerUntilAbandoned final : public JobRunner {
 public:
  RunnerUntilAbandoned(std::shared_ptr<JobRunner> inner, Abandoned abandoned)
      : inner_(std::move(inner)), abandoned_(std::move(abandoned)) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    require_wanted(abandoned_);
    return inner_->run(job);
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return inner_->info(); }

 private:
  std::shared_ptr<JobRunner> inner_;
  Abandoned abandoned_;
};

class CompilerUntilAbandoned final : public evaluators::compile::Compiler {
 public:
  CompilerUntilAbandoned(std::shared_ptr<evaluators::compile::Compiler> inner, Abandoned abandoned)
      : inner_(std::move(inner)), abandoned_(std::move(abandoned)) {}
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const evaluators::compile::CompileRequest& request) override {
    require_wanted(abandoned_);
    return inner_->compile(request);
  }
  [[nodiscard]] std::string version() const override { return inner_->version(); }

 private:
  std::shared_ptr<evaluators::compile::Compiler> inner_;
  Abandoned abandoned_;
};

}  // namespace

StackParts until_abandoned(StackParts parts, const Abandoned& abandoned) {
  parts.runner = [make = std::move(parts.runner), abandoned]() -> std::unique_ptr<JobRunner> {
    return std::make_unique<RunnerUntilAbandoned>(make(), abandoned);
  };
  // A candidate is sanitized there, between its compile and its first job on the GPU.
  parts.virtual_runner = [make = std::move(parts.virtual_runner), device = parts.virtual_device,
                          known = parts.known, abandoned]() -> std::shared_ptr<JobRunner> {
    std::shared_ptr<JobRunner> inner =
        make ? make() : std::make_shared<evaluators::gates::InProcessRunner>(device, *known);
    return std::make_shared<RunnerUntilAbandoned>(std::move(inner), abandoned);
  };
  parts.compiler = std::make_shared<CompilerUntilAbandoned>(std::move(parts.compiler), abandoned);
  return parts;
}

}  // namespace evo::session
