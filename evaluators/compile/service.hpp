// Compiles in a pool of warm worker processes: NVRTC's front end holds a process-wide lock, and a compile
// bomb or a crash of the compiler must not take the run with it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/compile/codec.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/compile/worker_main.hpp"

namespace evo::evaluators::compile {

struct ServiceOptions {
  unsigned workers = 0;                     ///< 0 = one a hardware thread
  std::vector<std::string> worker_command;  ///< empty = this executable with the argument "compile-worker"
  int recycle_after = 500;                  ///< compiles, then the worker is replaced
  std::int64_t recycle_rss_mb = 1024;       ///< resident megabytes after a compile above which it is replaced
  double start_timeout_s = 60;
  /// The workers yield to processes of usual priority: where a GPU is timed on the same host, what holds its
  /// turn waits for no core, and what is compiled is compiled ahead.
  bool makes_way = false;
};

class CompileService final : public Compiler {
 public:
  explicit CompileService(ServiceOptions options = {});
  ~CompileService() override;
  CompileService(const CompileService&) = delete;
  CompileService& operator=(const CompileService&) = delete;

  /// Refuses forbidden includes without a worker (compile_error, "forbidden_include"). Otherwise a free
  /// worker compiles; past `timeout_s` or `memory_mb` (resident) it is killed, and that is a compile_timeout
  /// ("time" or "memory"). If it dies by itself, a second one tries, and then the verdict is compile_error
  /// ("compiler_crash"). Workers are started when first needed.
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(const CompileRequest& request) override;
  [[nodiscard]] std::string version() const override;

  /// The NVRTC that the workers found; starts the first worker. Throws model::Exception(environment).
  [[nodiscard]] WorkerGreeting greeting() const;
  /// Worker processes started so far, for tests and reports.
  [[nodiscard]] int workers_started() const;
  struct Usage {
    double cpu_seconds = 0;      ///< of the workers, while they compiled
    double waiting_seconds = 0;  ///< of callers, for a free worker
  };
  [[nodiscard]] Usage usage() const;

 private:
  struct Worker;
  struct Attempt;
  [[nodiscard]] std::unique_ptr<Worker> acquire() const;
  void release(std::unique_ptr<Worker> worker) const;
  [[nodiscard]] std::unique_ptr<Worker> start_worker() const;
  [[nodiscard]] Attempt attempt(Worker& worker, const CompileRequest& request,
                                const std::string& frame) const;

  ServiceOptions options_;
  mutable std::mutex mutex_;
  mutable std::condition_variable freed_;
  mutable std::vector<std::unique_ptr<Worker>> idle_;
  mutable unsigned busy_ = 0;
  mutable int started_ = 0;
  mutable Usage usage_;
  mutable std::optional<WorkerGreeting> greeting_;
};

}  // namespace evo::evaluators::compile
