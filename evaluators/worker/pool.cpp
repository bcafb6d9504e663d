#include "evaluators/worker/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

#include "evaluators/process/child.hpp"
#include "evaluators/process/memory.hpp"
#include "evaluators/worker/remote_worker.hpp"

namespace evo::evaluators::worker {

struct DeviceWorkerPool::Slot {
  std::vector<std::string> command;
  std::string gpu;
  bool out = false;
  devices::DeviceInfo device;
  std::unique_ptr<RemoteWorker> active, spare;
  bool busy = false, comparing = false;
  bool idle_job = false;  ///< it is busy with a job of run_if_idle()
  std::chrono::steady_clock::time_point last_busy = std::chrono::steady_clock::now();
};

/// A place among those who wait for a worker: comparisons come before all others, then who asked first.
struct DeviceWorkerPool::Ticket {
  bool comparison = false;
  std::uint64_t number = 0;
  bool operator<(const Ticket& other) const {
    return comparison != other.comparison ? comparison : number < other.number;
  }
};

struct DeviceWorkerPool::State {
  explicit State(Pace::Settings settings) : pace(settings) {}

  DeviceWorkerPoolOptions options;
  std::vector<Slot> slots;
  std::mutex mutex;
  std::condition_variable freed;
  std::set<Ticket> waiting;
  std::uint64_t asked = 0;
  Pace pace;

  /// nullptr if there is none; for a comparison one of the GPU that has the fewest. With the mutex held.
  [[nodiscard]] Slot* free_slot(bool comparison) {
    const auto compared_on = [this](const std::string& gpu) {
      return std::ranges::count_if(
          slots, [&](const Slot& slot) { return slot.busy && slot.comparing && slot.gpu == gpu; });
    };
    // What was begun because there was nothing else to do is nobody's reason to wait.
    const auto taken = [&](const std::string& gpu) {
      const auto idle_jobs = std::ranges::count_if(
          slots, [&](const Slot& slot) { return slot.busy && slot.idle_job && slot.gpu == gpu; });
      return idle_jobs + (comparison ? compared_on(gpu) : 0);
    };
    Slot* found = nullptr;
    for (Slot& slot : slots) {
      if (slot.busy || slot.out) continue;
      if (found == nullptr || taken(slot.gpu) < taken(found->gpu)) found = &slot;
    }
    return found;
  }
  /// One of a GPU that has had no job for a while; nullptr if there is none. `with_others`: that has another
  /// worker, too. With the mutex held.
  [[nodiscard]] Slot* idle_slot(bool with_others) {
    const auto now = std::chrono::steady_clock::now();
    for (Slot& slot : slots) {
      if (slot.busy || slot.out) continue;
      const auto works = [&](const Slot& other) {
        return other.gpu == slot.gpu && (other.busy || now - other.last_busy < options.idle_after);
      };
      if (std::ranges::any_of(slots, works)) continue;
      const auto there = std::ranges::count_if(
          slots, [&](const Slot& other) { return !other.out && other.gpu == slot.gpu; });
      if (!with_others || there > 1) return &slot;
    }
    return nullptr;
  }
  /// Another GPU than `gpu` takes jobs. With the mutex held.
  [[nodiscard]] bool has_another(const std::string& gpu) const {
    return std::ranges::any_of(slots, [&](const Slot& slot) { return !slot.out && slot.gpu != gpu; });
  }
};

std::vector<std::string> worker_command(const WorkerOptions& options) {
  std::vector<std::string> command{process::self_path(), "worker", "--stdio", "--device", options.device};
  if (options.threads > 0) command.insert(command.end(), {"--threads", fmt::format("{}", options.threads)});
  if (!options.shared.empty()) command.insert(command.end(), {"--shared", options.shared});
  return command;
}

DeviceWorkerPool::DeviceWorkerPool(DeviceWorkerPoolOptions options)
    : state_(std::make_unique<State>(options.pace)) {
  if (options.commands.empty()) throw std::logic_error("a worker pool needs at least one command");
  state_->options = std::move(options);
  if (state_->options.memory_limit <= 0) state_->options.memory_limit = process::generous_memory();
  for (std::size_t i = 0; i < state_->options.commands.size(); ++i) {
    Slot slot;
    slot.command = state_->options.commands[i];
    if (i < state_->options.gpus.size()) slot.gpu = state_->options.gpus[i];
    slot.active = std::make_unique<RemoteWorker>(slot.command);
    state_->slots.push_back(std::move(slot));
  }
  for (Slot& slot : state_->slots) {
    if (slot.out) continue;
    try {
      slot.device = slot.active->hello(state_->options.hello_timeout).device;
    } catch (const model::Exception& error) {
      if (!leave_out(slot.gpu, error)) throw;
    }
  }
  for (Slot& slot : state_->slots) {
    if (slot.out)
      slot.active.reset();
    else if (state_->options.spare)
      slot.spare = std::make_unique<RemoteWorker>(slot.command);
  }
}

DeviceWorkerPool::~DeviceWorkerPool() = default;

DeviceWorkerPool::Slot& DeviceWorkerPool::acquire(const Ticket& ticket) {
  std::unique_lock lock(state_->mutex);
  const auto place = state_->waiting.insert(ticket).first;
  while (true) {
    Slot* free = place == state_->waiting.begin() ? state_->free_slot(ticket.comparison) : nullptr;
    if (free == nullptr) {
      state_->freed.wait(lock);
      continue;
    }
    free->busy = true;
    free->comparing = ticket.comparison;
    state_->waiting.erase(place);
    state_->freed.notify_all();  // there may be a free one for the next, too
    return *free;
  }
}

bool DeviceWorkerPool::has_another(const std::string& gpu) const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_another(gpu);
}

bool DeviceWorkerPool::leave_out(const std::string& gpu, const model::Exception& why) {
  if (why.code() != model::ExitCode::environment) return false;
  bool first = false;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->has_another(gpu)) return false;
    for (Slot& slot : state_->slots) {
      if (slot.gpu != gpu) continue;
      first = first || !slot.out;
      slot.out = true;
    }
  }
  state_->pace.forget(gpu);
  if (first && state_->options.left_out) state_->options.left_out(gpu, why.what());
  state_->freed.notify_all();
  return true;
}

gates::DeviceResult DeviceWorkerPool::run(const gates::DeviceJob& job) {
  const auto asked = std::chrono::steady_clock::now();
  Ticket ticket{job.opponent.has_value(), 0};
  {
    const std::lock_guard lock(state_->mutex);
    ticket.number = state_->asked++;
  }
  while (true) {
    Slot& slot = acquire(ticket);
    const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    try {
      gates::DeviceResult result = run_on(slot, job);
      if (!result.times.empty()) result.times.front().waiting += waited;
      return result;
    } catch (const model::Exception& error) {
      if (!leave_out(slot.gpu, error)) throw;
    }
  }
}

gates::DeviceResult DeviceWorkerPool::run_on(Slot& slot, const gates::DeviceJob& job) {
  // Gives the slot back also when the environment breaks.
  const auto back = [this](Slot* held) { give_back(*held); };
  const std::unique_ptr<Slot, decltype(back)> held(&slot, back);

  try {
    if (!slot.active) replace_worker(slot);
    if (!has_another(slot.gpu)) return ask(slot, job);
    if (const auto known = state_->pace.due(slot.gpu, job)) {
      if (const std::string why = state_->pace.verdict(slot.gpu, ask(slot, *known)); !why.empty())
        throw model::Exception(model::ExitCode::environment, why);
    }
    gates::DeviceResult result = ask(slot, job);
    state_->pace.ran(slot.gpu, job, result);
    return result;
  } catch (...) {
    slot.active.reset();
    throw;
  }
}

void DeviceWorkerPool::give_back(Slot& slot) {
  const std::lock_guard lock(state_->mutex);
  slot.busy = slot.idle_job = false;
  slot.last_busy = std::chrono::steady_clock::now();
  state_->freed.notify_all();
}

std::optional<gates::DeviceResult> DeviceWorkerPool::run_if_idle(const gates::DeviceJob& job) {
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->waiting.empty()) return std::nullopt;
    slot = state_->idle_slot(!job.opponent);
    if (slot == nullptr) return std::nullopt;
    slot->busy = slot->idle_job = true;
    slot->comparing = job.opponent.has_value();
  }
  const auto back = [this](Slot* held) { give_back(*held); };
  const std::unique_ptr<Slot, decltype(back)> held(slot, back);
  try {
    if (!slot->active) replace_worker(*slot);
    return ask(*slot, job);
  } catch (...) {
    slot->active.reset();
    throw;
  }
}

gates::DeviceResult DeviceWorkerPool::ask(Slot& slot, const gates::DeviceJob& job) {
  const auto launch_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::max(0.0, job.settings.launch_timeout_ms)));
  static_cast<void>(slot.active->hello(state_->options.hello_timeout));
  RemoteWorker::Answer answer =
      slot.active->run(job, {state_->options.silence_limit + launch_limit, state_->options.memory_limit});
  if (!answer.ended) return std::move(answer.result);
  replace_worker(slot);
  // Was it the job, or did the GPU go? A worker that starts now tells; the warm spare started while all was
  // well.
  if (has_another(slot.gpu))
    static_cast<void>((slot.spare ? slot.spare : slot.active)->hello(state_->options.hello_timeout));
  return std::move(answer.result);
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
  const std::lock_guard lock(state_->mutex);
  for (const Slot& slot : state_->slots) {
    if (!slot.out) return slot.device;
  }
  return state_->slots.front().device;
}

std::vector<devices::DeviceInfo> DeviceWorkerPool::devices() const {
  std::vector<devices::DeviceInfo> found;
  const std::lock_guard lock(state_->mutex);
  for (const Slot& slot : state_->slots) {
    if (!slot.out) found.push_back(slot.device);
  }
  return found;
}

}  // namespace evo::evaluators::worker
