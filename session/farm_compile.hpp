// Compiles on a farm: a line of its own, for workers that have the run's NVRTC.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "evaluators/compile/compiler.hpp"
#include "farm/calls.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// The build of workers that compile as `version` (Compiler::version()) does.
[[nodiscard]] farm::Build compile_build(const std::string& version);

/// The coordinator's side. Thread-safe.
class FarmCompiles {
 public:
  /// One result in `audit_every`, drawn, is compiled by `own` as well; another one is an exception, since its
  /// worker cannot be trusted. 0: none.
  FarmCompiles(std::shared_ptr<farm::Calls> calls, std::shared_ptr<evaluators::compile::Compiler> own,
               unsigned audit_every);

  /// A worker's result; nullopt: none has room for it, or none could.
  [[nodiscard]] std::optional<tl::expected<model::Artifact, model::Failure>> compile(
      const evaluators::compile::CompileRequest& request);
  [[nodiscard]] std::uint64_t audited() const { return audited_; }
  [[nodiscard]] const farm::Line& line() const { return line_; }

 private:
  std::shared_ptr<farm::Calls> calls_;
  std::shared_ptr<evaluators::compile::Compiler> own_;
  unsigned audit_every_;
  farm::Line line_;
  std::atomic<std::uint64_t> audited_{0};
};

/// The worker's side: compiles in processes that may touch nothing but the toolkit. Thread-safe.
class CompileBench {
 public:
  /// `threads` processes at most. Throws model::Exception(environment) without a usable NVRTC, and where such
  /// a process cannot be confined: jobs come from strangers.
  explicit CompileBench(unsigned threads);
  ~CompileBench();
  /// The body of a job's answer. Throws std::exception for what is no request, or one that asks for more time
  /// or memory than a compile may have.
  [[nodiscard]] std::string perform(const std::string& body);
  [[nodiscard]] std::string version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The body of a compile's job, and of its answer.
[[nodiscard]] std::string compile_body(const evaluators::compile::CompileRequest& request);
[[nodiscard]] evaluators::compile::CompileRequest compile_request_from(const std::string& body);

}  // namespace evo::session
