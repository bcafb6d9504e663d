// evo worker and the internal evo compile-worker and evo launch-job.
#include "cli/verbs.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "evaluators/worker/launch_main.hpp"
#include "evaluators/worker/serve.hpp"
#include "packs/builtin.hpp"

namespace evo::cli {

int worker_command(const Options& options) {
  evaluators::worker::WorkerOptions worker;
  worker.device = options.worker.device;
  return evaluators::worker::worker_main(worker, packs::catalogue_of(packs::builtin()));
}

int compile_worker_command(const Options& /*options*/) {
  return evaluators::compile::compile_worker_main();
}

int launch_job_command(const Options& options) {
  return evaluators::worker::launch_main({options.launch.device, options.launch.file},
                                         packs::catalogue_of(packs::builtin()));
}

}  // namespace evo::cli
