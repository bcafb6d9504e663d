#include "evaluators/worker/pool.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "evaluators/process/child.hpp"
#include "evaluators/process/memory.hpp"
#include "evaluators/worker/remote_worker.hpp"

namespace evo::evaluators::worker {

struct DeviceWorkerPool::Slot {
  std::vector<std::string> command;
  devices::DeviceInfo device;
  std::unique_ptr<RemoteWorker> active, spare;
  bool busy = false;
};

struct DeviceWorkerPool::State {
  DeviceWorkerPoolOptions options;
  std::vector<Slot> slots;
  std::mutex mutex;
  std::condition_variable freed;
};

std::vector<std::string> worker_command(const std::string& device) {
  return {process::self_path(), "worker", "--stdio", "--device", device};
}

DeviceWorkerPool::DeviceWorkerPool(DeviceWorkerPoolOptions options) : state_(std::make_unique<State>()) {
  if (options.commands.empty()) throw std::logic_error("a worker pool needs at least one command");
  state_->options = std::move(options);
  if (state_->options.memory_limit <= 0) state_->options.memory_limit = process::generous_memory();
  for (const auto& command : state_->options.commands) {
    Slot slot;
    slot.command = command;
    slot.active = std::make_unique<RemoteWorker>(command);
    state_->slots.push_back(std::move(slot));
  }
  for (Slot& slot : state_->slots) slot.device = slot.active->hello(state_->options.hello_timeout).device;
  if (!state_->options.spare) return;
  for (Slot& slot : state_->slots) slot.spare = std::make_unique<RemoteWorker>(slot.command);
}

DeviceWorkerPool::~DeviceWorkerPool() = default;

DeviceWorkerPool::Slot& DeviceWorkerPool::acquire() {
  std::unique_lock lock(state_->mutex);
  while (true) {
    for (Slot& slot : state_->slots) {
      if (slot.busy) continue;
      slot.busy = true;
      return slot;
    }
    state_->freed.wait(lock);
  }
}

gates::DeviceResult DeviceWorkerPool::run(const gates::DeviceJob& job) {
  const auto asked = std::chrono::steady_clock::now();
  Slot& slot = acquire();
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
  // Gives the slot back also when the environment breaks.
  const auto give_back = [this](Slot* held) {
    const std::lock_guard lock(state_->mutex);
    held->busy = false;
    state_->freed.notify_one();
  };
  const std::unique_ptr<Slot, decltype(give_back)> held(&slot, give_back);

  if (!slot.active) replace_worker(slot);
  const auto launch_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::max(0.0, job.settings.launch_timeout_ms)));
  try {
    static_cast<void>(slot.active->hello(state_->options.hello_timeout));
    RemoteWorker::Answer answer =
        slot.active->run(job, {state_->options.silence_limit + launch_limit, state_->options.memory_limit});
    if (answer.ended) replace_worker(slot);
    if (!answer.result.times.empty()) answer.result.times.front().waiting += waited;
    return std::move(answer.result);
  } catch (...) {
    slot.active.reset();
    throw;
  }
}

void DeviceWorkerPool::replace_worker(Slot& slot) {
  // The old process goes first: its kernel may still run, and would disturb what is timed next.
  slot.active.reset();
  if (state_->options.log) {
    state_->options.log(fmt::format("the worker of {} is replaced by {}", slot.device.name,
                                    slot.spare ? "its warm spare" : "a new one"));
  }
  slot.active = slot.spare ? std::move(slot.spare) : std::make_unique<RemoteWorker>(slot.command);
  if (state_->options.spare) slot.spare = std::make_unique<RemoteWorker>(slot.command);
}

devices::DeviceInfo DeviceWorkerPool::info() const {
  return state_->slots.front().device;
}

std::vector<devices::DeviceInfo> DeviceWorkerPool::devices() const {
  std::vector<devices::DeviceInfo> found;
  for (const Slot& slot : state_->slots) found.push_back(slot.device);
  return found;
}

}  // namespace evo::evaluators::worker
