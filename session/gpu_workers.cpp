#include "session/gpu_workers.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "evaluators/worker/pool.hpp"
#include "model/error.hpp"

namespace evo::session {

using namespace evaluators;

std::vector<std::string> Gpus::left() const {
  const std::scoped_lock lock(mutex_);
  return names_;
}

void Gpus::leave_out(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  std::erase(names_, name);
}

std::size_t workers_each(int threads, std::size_t gpus, std::uint64_t free_bytes) {
  // A trial of experiments/s512_h200.yaml takes a worker six to seven times as long as it holds the GPU; a
  // small host has no cores for more than one.
  const auto fed = static_cast<std::size_t>(std::clamp(threads / (2 * static_cast<int>(gpus)), 1, 8));
  // A worker's and its spare's contexts, half a GiB each, and the buffers of a job: sets of them take 1 GiB
  // where one set does not take more.
  constexpr std::uint64_t bytes_a_worker = std::uint64_t{2} << 30;
  if (free_bytes == 0) return fed;
  return std::clamp<std::size_t>(free_bytes / bytes_a_worker, 1, fed);
}

int threads_each(unsigned cores, std::size_t workers) {
  if (workers < 2) return 0;
  // One that has a job while the others have none is not to crawl; and not each of them is to keep a thread
  // for every core.
  return std::max(static_cast<int>(cores / 2), 2);
}

std::unique_ptr<gates::JobRunner> make_gpu_workers(const std::shared_ptr<Gpus>& gpus, std::size_t each,
                                                   const StackOptions& options) {
  worker::DeviceWorkerPoolOptions pool;
  const std::size_t workers = each * gpus->left().size();
  // One that is alone has nobody to share with.
  if (workers > 1) {
    try {
      pool.shared = std::make_shared<process::TemporaryFolder>("evo-references");
    } catch (const model::Exception& error) {
      if (options.log)
        options.log(fmt::format("each worker makes the reference's answers: {}", error.what()));
    }
  }
  worker::WorkerOptions worker;
  worker.threads = threads_each(std::thread::hardware_concurrency(), workers);
  worker.shared = pool.shared ? pool.shared->path() : std::string();
  // In turn, so that a few jobs at a time are on as many GPUs.
  for (std::size_t i = 0; i < each; ++i) {
    for (const std::string& name : gpus->left()) {
      worker.device = name;
      pool.commands.push_back(worker::worker_command(worker));
      pool.gpus.push_back(name);
    }
  }
  pool.log = options.log;
  pool.left_out = [gpus, notes = options.notes](const std::string& gpu, const std::string& why) {
    gpus->leave_out(gpu);
    if (notes) notes(fmt::format("{} gets no more trials, others do them: {}", gpu, why));
  };
  return std::make_unique<worker::DeviceWorkerPool>(std::move(pool));
}

std::unique_ptr<gates::JobRunner> make_fresh_gpu_worker(const Gpus& gpus, const Tell& log) {
  const std::vector<std::string> names = gpus.left();
  for (std::size_t i = 0;; ++i) {
    worker::DeviceWorkerPoolOptions pool;
    pool.commands = {worker::worker_command({.device = names.at(i)})};
    pool.spare = false;
    pool.log = log;
    try {
      return std::make_unique<worker::DeviceWorkerPool>(std::move(pool));
    } catch (const model::Exception&) {
      if (i + 1 == names.size()) throw;
    }
  }
}

}  // namespace evo::session
