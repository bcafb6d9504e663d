// Compiles on a farm: a line of its own, for workers that have the run's NVRTC.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "evaluators/compile/compiler.hpp"
#include "farm/calls.hpp"
#include "farm/shelf.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// The build of workers that compile as `version` (Compiler::version()) does.
[[nodiscard]] farm::Build compile_build(const std::string& version);

/// The coordinator's side. What one run has had compiled lies on the farm's shelf for all runs of the same
/// build of evo and the same compiler. Thread-safe.
class FarmCompiles {
 public:
  /// One result in `audit_every`, drawn, is compiled by `own` as well, whether a worker has just made it or
  /// it lay on the shelf; another one is an exception, since who made it cannot be trusted, and the
  /// shelf is emptied: it may have more of him. 0: none. `shelf` may be null.
  FarmCompiles(std::shared_ptr<farm::Calls> calls, std::shared_ptr<evaluators::compile::Compiler> own,
               unsigned audit_every, std::shared_ptr<farm::Shelf> shelf = nullptr);

  /// From the shelf, or a worker's; nullopt: none has room for it, or none could.
  [[nodiscard]] std::optional<tl::expected<model::Artifact, model::Failure>> compile(
      const evaluators::compile::CompileRequest& request);
  /// Puts on the shelf what this machine compiled since nobody else did.
  void made_here(const evaluators::compile::CompileRequest& request,
                 const tl::expected<model::Artifact, model::Failure>& result);
  [[nodiscard]] std::uint64_t audited() const { return audited_; }
  /// Compiles that lay on the shelf.
  [[nodiscard]] std::uint64_t shared() const { return shared_; }
  [[nodiscard]] const farm::Line& line() const { return line_; }

 private:
  using Result = tl::expected<model::Artifact, model::Failure>;
  struct Made {
    Result result;
    std::string maker;  ///< a worker's name, or "the run NAME"
    bool from_shelf = false;
  };
  [[nodiscard]] std::optional<Made> find(const std::string& key) const;
  [[nodiscard]] std::optional<Made> ask(const evaluators::compile::CompileRequest& request);
  void put(const std::string& key, const Made& made);
  void audit(const evaluators::compile::CompileRequest& request, const Made& made);

  std::shared_ptr<farm::Calls> calls_;
  std::shared_ptr<evaluators::compile::Compiler> own_;
  unsigned audit_every_;
  std::shared_ptr<farm::Shelf> shelf_;
  farm::Line line_;
  std::atomic<std::uint64_t> audited_{0}, shared_{0};
  std::mutex mutex_;
  bool lied_to_ = false;  ///< nothing of this run's is put on the shelf any more
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
