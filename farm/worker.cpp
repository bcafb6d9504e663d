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

struct Answered {
  std::string message;
  Served how = Served::answered;
  std::string why{};  ///< there is no result; empty: there is one
};

/// The message with the performed job's result, or with why there is none.
Answered answer_to(Queue& queue, const JobMessage& job, const Perform& perform, const WorkerOptions& options,
                   int times) {
  ResultMessage answer;
  answer.run = job.run;
  answer.id = job.id;
  answer.nonce = job.nonce;
  answer.worker = options.name;
  answer.price = options.price;
  const FindCode fetch = [&queue](const std::string& hash) { return queue.code(hash); };
  CodeCache of_this_job(0);
  CodeCache& cache = options.code != nullptr ? *options.code : of_this_job;
  Answered done;
  try {
    if (times > options.most_times)
      throw std::runtime_error(
          fmt::format("the job was lent {} times and came back without a result", times));
    // While another job is done: nobody waits for the ways to the server and back then.
    if (options.code != nullptr && options.turn != nullptr) {
      for (const std::string& hash : job.code) static_cast<void>(cache.find(hash, fetch));
    }
    std::unique_lock<TicketLock> turn;
    if (options.turn != nullptr) {
      options.turn->lock(options.first);
      turn = std::unique_lock(*options.turn, std::adopt_lock);
    }
    if (options.stop.stop_requested()) return {{}, Served::nothing, {}};
    const auto start = std::chrono::steady_clock::now();
    answer.body = perform(job, [&](const std::string& hash) { return cache.find(hash, fetch); });
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    done.message = encode(answer);
    return done;
  } catch (const CodeMissing& error) {
    answer.code_missing = true;
    done = {{}, Served::no_code, error.what()};
  } catch (const std::exception& error) {
    done = {{}, Served::failed, error.what()};
  }
  if (done.why.empty()) done.why = "unknown";
  if (done.why.size() > longest_error) done.why.resize(longest_error);
  answer.body.clear();
  answer.error = done.why;
  done.message = encode(answer);
  return done;
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
  Answered answer;
  {
    const Heartbeat beat(queue, delivery->lease, options.heartbeat);
    answer = answer_to(queue, *job, perform, options, delivery->times);
  }
  if (answer.how == Served::nothing) {
    queue.give_back(delivery->lease);
    return {};
  }
  queue.put_result(job->run, answer.message);
  queue.done(delivery->lease);
  return {answer.how, answer.why, job->run};
}

}  // namespace evo::farm
