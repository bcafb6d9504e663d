// A Compiler in front of another one that asks the artifact cache first.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/compiler.hpp"

namespace evo::evaluators::compile {

class CachingCompiler final : public Compiler {
 public:
  /// Both must outlive this object.
  CachingCompiler(Compiler& inner, ArtifactCache& cache) : inner_(inner), cache_(cache) {}

  /// As the inner one. Results of a source (artifacts and compile errors) are stored; what a clock or the
  /// state of the machine decided (compile_timeout, a crash of the compiler) is not. Threads that ask for the
  /// same key at the same time share one compile.
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(const CompileRequest& request) override;
  [[nodiscard]] std::string version() const override { return inner_.version(); }

 private:
  struct Flight;
  Compiler& inner_;
  ArtifactCache& cache_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> in_flight_;
};

}  // namespace evo::evaluators::compile
