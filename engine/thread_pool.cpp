#include "engine/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace evo::engine {

ThreadPool::ThreadPool(int threads) {
  grow_to(std::max(threads, 1));
}

void ThreadPool::grow_to(int threads) {
  const std::lock_guard lock(mutex_);
  while (threads_.size() < static_cast<std::size_t>(std::max(threads, 0)))
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

ThreadPool::~ThreadPool() {
  const std::lock_guard lock(mutex_);
  queue_.clear();
}

void ThreadPool::submit(std::int64_t order, std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace(order, std::move(task));
  }
  wake_.notify_one();
}

void ThreadPool::drain() {
  std::unique_lock lock(mutex_);
  queue_.clear();
  idle_.wait(lock, [this] { return running_ == 0; });
}

void ThreadPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !queue_.empty(); })) {
    auto task = std::move(queue_.extract(queue_.begin()).mapped());
    ++running_;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    if (--running_ == 0) idle_.notify_all();
  }
}

}  // namespace evo::engine
