// Threads that take the task with the lowest number first.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace evo::engine {

/// Thread-safe. A task must not throw. The destructor drops what is queued and waits for what runs.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// `order` is unique among the queued tasks.
  void submit(std::int64_t order, std::function<void()> task);
  /// Has at least so many threads from now on.
  void grow_to(int threads);
  /// Drops what is queued and blocks until nothing runs.
  void drain();

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable idle_;
  std::map<std::int64_t, std::function<void()>> queue_;
  int running_ = 0;
  std::vector<std::jthread> threads_;  // last, so that the threads end before what they use
};

}  // namespace evo::engine
