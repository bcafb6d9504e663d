// evo worker and the internal evo compile-worker.
#include "cli/verbs.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "evaluators/worker/serve.hpp"

namespace evo::cli {

int worker_command(const Options& options) {
  evaluators::worker::WorkerOptions worker;
  worker.device = options.worker.device;
  return evaluators::worker::worker_main(worker);
}

int compile_worker_command(const Options& /*options*/) {
  return evaluators::compile::compile_worker_main();
}

}  // namespace evo::cli
