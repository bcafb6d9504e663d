// A Compiler in front of this machine's: another host compiles what the artifact cache does not have.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/compiler.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// What others made is kept in this object alone, and forgotten by use(): no other run takes it for what this
/// machine's compiler made.
class ElsewhereFirst final : public evaluators::compile::Compiler {
 public:
  /// Both must outlive it; without a cache the inner one is not asked first.
  explicit ElsewhereFirst(evaluators::compile::Compiler& inner,
                          evaluators::compile::ArtifactCache* cache = nullptr,
                          std::int64_t most_bytes = std::int64_t{256} << 20)
      : inner_(inner), cache_(cache), most_bytes_(most_bytes) {}

  /// Whom to ask from now on; nothing: nobody. Forgets what others have compiled.
  void use(CompileElsewhere other);

  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const evaluators::compile::CompileRequest& request) override;
  [[nodiscard]] std::string version() const override { return inner_.version(); }
  /// Bytes of code that are kept.
  [[nodiscard]] std::int64_t kept_bytes() const;

 private:
  using Result = evaluators::compile::CompileResult;
  struct Kept {
    Result result;
    std::int64_t bytes = 0;
    std::list<std::string>::iterator position;
  };
  void keep(const std::string& key, const Result& result);

  evaluators::compile::Compiler& inner_;
  evaluators::compile::ArtifactCache* cache_;
  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::shared_ptr<const CompileElsewhere> other_;
  std::map<std::string, Kept> kept_;
  std::list<std::string> order_;  ///< the last used first
  std::int64_t bytes_ = 0;
};

}  // namespace evo::session
