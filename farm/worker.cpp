#include "farm/worker.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace evo::farm {
namespace {

/// Keeps a lease from a thread of its own until it is destroyed.
class Heartbeat {
 public:
  Heartbeat(Queue& queue, std::string lease, std::chrono::milliseconds every)
      : thread_([this, &queue, lease = std::move(lease), every](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (true) {
            wake_.wait_for(lock, stop, every, [] { return false; });
            if (stop.stop_requested()) return;
            try {
              queue.keep(lease);
            } catch (const std::exception&) {
              return;  // the queue is gone: the answer will show it
            }
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

constexpr std::size_t longest_error = 4096;

/// The message with the performed job's result, or with why there is none.
std::string answer_to(const JobMessage& job, const Perform& perform, const WorkerOptions& options, int times,
                      std::string& why) {
  ResultMessage answer{job.run, job.id, job.nonce, options.name, {}, {}, options.price};
  try {
    if (times > options.most_times)
      throw std::runtime_error(
          fmt::format("the job was lent {} times and came back without a result", times));
    const auto turn =
        options.turn == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*options.turn);
    const auto start = std::chrono::steady_clock::now();
    answer.body = perform(job);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return encode(answer);
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (why.empty()) why = "unknown";
  if (why.size() > longest_error) why.resize(longest_error);
  answer.body.clear();
  answer.error = why;
  return encode(answer);
}

}  // namespace

ServedJob serve_job(Queue& queue, const Perform& perform, const WorkerOptions& options,
                    std::chrono::milliseconds wait) {
  const auto delivery = queue.take_job(wait);
  if (!delivery) return {};
  const auto job = job_from(delivery->bytes);
  if (!job) {
    queue.done(delivery->lease);
    return {Served::malformed, job.error(), {}};
  }
  if (std::string why = difference(options.build, job->build); !why.empty()) {
    queue.give_back(delivery->lease);
    return {Served::refused, std::move(why), job->run};
  }
  std::string why, answer;
  {
    const Heartbeat beat(queue, delivery->lease, options.heartbeat);
    answer = answer_to(*job, perform, options, delivery->times, why);
  }
  queue.put_result(job->run, answer);
  queue.done(delivery->lease);
  return {why.empty() ? Served::answered : Served::failed, why, job->run};
}

}  // namespace evo::farm
