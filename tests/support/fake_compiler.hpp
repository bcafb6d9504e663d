// A Compiler that makes artifacts up: what it answers is a function of the request.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "evaluators/compile/compiler.hpp"

namespace evo::tests {

class FakeCompiler final : public evaluators::compile::Compiler {
 public:
  using Request = evaluators::compile::CompileRequest;
  using Result = tl::expected<model::Artifact, model::Failure>;

  /// Without `answer`, every request gets an artifact whose code hash is its source and architecture.
  explicit FakeCompiler(std::function<Result(const Request&)> answer = {}) : answer_(std::move(answer)) {}

  [[nodiscard]] Result compile(const Request& request) override {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    return answer_ ? answer_(request) : Result(plain(request));
  }
  [[nodiscard]] std::string version() const override { return "fake compiler 1.0"; }

  [[nodiscard]] static model::Artifact plain(const Request& request) {
    model::Artifact artifact;
    artifact.entry = request.entry;
    artifact.arch = request.arch;
    artifact.ptx = "// " + request.source;
    std::replace(artifact.ptx.begin(), artifact.ptx.end(), '\n', ' ');  // a comment is one line
    artifact.cubin = request.arch;
    artifact.source_file = request.source_file;
    artifact.code_hash = request.arch + ":" + request.source;
    artifact.compiler = "fake compiler 1.0";
    artifact.resources.registers = 32;
    return artifact;
  }
  [[nodiscard]] std::vector<Request> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  std::function<Result(const Request&)> answer_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
};

}  // namespace evo::tests
