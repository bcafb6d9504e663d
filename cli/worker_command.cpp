// evo worker and the internal evo compile-worker, evo launch-job and evo comparator-job.
#include <chrono>
#include <stop_token>

#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "evaluators/worker/launch_main.hpp"
#include "evaluators/worker/serve.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/comparator_pairs.hpp"
#include "session/device_choice.hpp"
#include "session/farm_worker.hpp"

namespace evo::cli {

namespace {

int farm_worker(const Options& options) {
  const WorkerOptions& worker = options.worker;
  session::FarmWorkerOptions farm;
  farm.farm = {worker.farm.url, worker.farm.token_file, worker.farm.ca_file};
  farm.threads = session::threads_or_cores(worker.threads);
  farm.device = worker.device;
  farm.jobs = worker.jobs;
  farm.price = worker.price;
  farm.idle = std::chrono::seconds(worker.idle_s);
  farm.wait = std::chrono::seconds(worker.wait_s);
  const auto tell = [quiet = options.common.quiet](const std::string& line) {
    if (!quiet) fmt::print(stderr, "evo: {}\n", line);
  };
  const std::stop_token stop = stop_on_signals([](const std::string&) {
    fmt::print(stderr, "evo: leaving after the jobs in hand (again to abort)\n");
  });
  session::serve_farm(farm, stop, tell);
  return static_cast<int>(model::ExitCode::done);
}

}  // namespace

int worker_command(const Options& options) {
  if (!options.worker.farm.url.empty()) return farm_worker(options);
  if (!options.worker.stdio) {
    throw model::Exception(model::ExitCode::usage,
                           "a worker serves a farm, --farm URL, or the evo that started it, --stdio");
  }
  evaluators::worker::WorkerOptions worker;
  worker.device = options.worker.device;
  worker.threads = options.worker.threads;
  worker.shared = options.worker.shared;
  return evaluators::worker::worker_main(worker, packs::catalogue_of(packs::builtin()));
}

int compile_worker_command(const Options& /*options*/) {
  return evaluators::compile::compile_worker_main();
}

int launch_job_command(const Options& options) {
  return evaluators::worker::launch_main(
      {options.launch.device, options.launch.file, options.launch.counters, options.launch.launches},
      packs::catalogue_of(packs::builtin()));
}

int comparator_job_command(const Options& options) {
  return session::comparator_job_main(options.launch.device, options.launch.file);
}

}  // namespace evo::cli
