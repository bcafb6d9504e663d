#include "evaluators/worker/serve.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "evaluators/worker/protocol.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {

namespace {

constexpr auto heartbeat = std::chrono::milliseconds(200);

/// Writes messages from the main loop and, while a job runs, signs of life from a thread of its own: only if
/// progress was noted since the last one, so that a device that hangs falls silent.
class Speaker {
 public:
  Speaker() : beat_([this](const std::stop_token& stop) { run(stop); }) {}

  [[nodiscard]] bool say(MessageType type, std::string_view body = {}) {
    const std::lock_guard lock(mutex_);
    return process::write_stdout_frame(encode(type, body));
  }
  void note_progress() { progress_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void run(const std::stop_token& stop) {
    std::uint64_t told = 0;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, heartbeat, [] { return false; });
      const std::uint64_t now = progress_.load(std::memory_order_relaxed);
      if (now == told || stop.stop_requested()) continue;
      told = now;
      // A pool that is gone shows at the next answer; here there is nobody to tell.
      static_cast<void>(process::write_stdout_frame(encode(MessageType::alive)));
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::atomic<std::uint64_t> progress_{0};
  std::jthread beat_;
};

struct Reply {
  MessageType type = MessageType::error;
  std::string body;
  int exit_code = 0;  ///< with which the worker ends after a last_result or an error
};

Reply broken(model::ExitCode code, const std::string& message) {
  return {MessageType::error, to_json(WorkerError{static_cast<int>(code), message}), static_cast<int>(code)};
}

/// What the jobs of a run share: inputs, references, and the problem's own oracle, which comes with them.
class Shared {
 public:
  Shared(oracle::Catalogue known, std::shared_ptr<reference::SideDevice> side, std::string folder)
      : known_(std::move(known)), side_(std::move(side)), folder_(std::move(folder)) {
    renew_cache();
  }

  [[nodiscard]] oracle::ReferenceCache& cache_for(const gates::DeviceJob& job) {
    if (job.reference && job.reference->hash != reference_) {
      reference_ = job.reference->hash;
      reference::add_reference(known_, *job.reference, side_);
      renew_cache();
    }
    return *cache_;
  }

 private:
  void renew_cache() {
    cache_ = std::make_unique<oracle::ReferenceCache>(known_);
    if (!folder_.empty()) cache_->share({folder_, oracle::default_cache_bytes()}, reference_);
  }

  oracle::Catalogue known_;
  std::unique_ptr<oracle::ReferenceCache> cache_;
  std::shared_ptr<reference::SideDevice> side_;
  std::string folder_;
  std::string reference_;  ///< its hash
};

Reply answer(const std::string& frame, const DeviceFactory& make_device, Shared& shared, Speaker& speaker) {
  const auto message = decode(frame);
  if (!message) return broken(model::ExitCode::failed, message.error());
  if (message->type != MessageType::job) return broken(model::ExitCode::failed, "only jobs are answered");
  try {
    const gates::DeviceJob job = gates::device_job_from_json(message->body);
    const auto device = make_device([&speaker] { speaker.note_progress(); });
    const gates::DeviceResult result = gates::run_device_job(*device, job, shared.cache_for(job));
    if (device->lost()) return {MessageType::last_result, gates::to_json(result), device_lost_exit};
    return {MessageType::result, gates::to_json(result), 0};
  } catch (const model::Exception& error) {
    return broken(error.code(), error.what());
  } catch (const std::exception& error) {
    return broken(model::ExitCode::failed, error.what());
  }
}

}  // namespace

int serve(const devices::DeviceInfo& info, const DeviceFactory& make_device, oracle::Catalogue known,
          std::shared_ptr<reference::SideDevice> side, const std::string& shared_folder) {
  process::claim_stdout();
  Speaker speaker;
  if (!speaker.say(MessageType::hello, to_json(Hello{protocol_version, info}))) {
    return static_cast<int>(model::ExitCode::failed);
  }
  Shared shared(std::move(known), std::move(side), shared_folder);
  while (const auto frame = process::read_stdin_frame()) {
    const Reply reply = answer(*frame, make_device, shared, speaker);
    if (!speaker.say(reply.type, reply.body)) return static_cast<int>(model::ExitCode::failed);
    if (reply.type != MessageType::result) return reply.exit_code;
  }
  return static_cast<int>(model::ExitCode::done);
}

}  // namespace evo::evaluators::worker
