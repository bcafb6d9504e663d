// A Compiler in front of another one that takes published files as they are, host code and all.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "evaluators/compile/compiler.hpp"

namespace evo::evaluators::compile {

/// A source that compiles as it is goes through untouched. Of one that launches kernels or defines main() and
/// does not compile, the declarations for the host that the errors stand in are left out, and headers that
/// are not found are taken as empty, until it compiles or an error stands in code for the device. Host
/// functions make no device code, so what compiles is what was written; lines stay. Without success the
/// failure is that of the source as it is, or, where only errors of device code are left, those.
class HostCodeCompiler final : public Compiler {
 public:
  /// `inner` must outlive this object.
  explicit HostCodeCompiler(Compiler& inner) : inner_(inner) {}

  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(const CompileRequest& request) override;
  [[nodiscard]] std::string version() const override { return inner_.version(); }

 private:
  /// Leaves host code out until it compiles.
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile_with_host_code(
      const CompileRequest& request);
  /// What is left out of the files of a source.
  struct Omissions {
    std::map<std::string, std::set<std::string>, std::less<>> texts;  ///< by file: whole declarations
    std::set<std::string> headers;                                    ///< taken as empty
    [[nodiscard]] bool empty() const { return texts.empty() && headers.empty(); }
  };
  [[nodiscard]] static CompileRequest without(const CompileRequest& request, const Omissions& omissions);
  /// Adds what the failure points to; false where that is nothing that may be left out.
  [[nodiscard]] static bool extend(Omissions& omissions, const CompileRequest& request,
                                   const model::Failure& failure);

  Compiler& inner_;
  std::mutex mutex_;
  /// By source file: what was left out of it last, so that its next variant compiles at once.
  std::map<std::string, Omissions, std::less<>> known_;
};

}  // namespace evo::evaluators::compile
