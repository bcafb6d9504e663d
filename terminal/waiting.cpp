#include "terminal/waiting.hpp"

#include <csignal>
#include <utility>

#include <fmt/format.h>

namespace evo::terminal {
namespace {

Waiting::Say on_stderr(const CommonOptions& common) {
  if (common.quiet) return {};
  return [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
}

}  // namespace

Waiting::Waiting(Say say, std::chrono::milliseconds patience)
    : say_(std::move(say)), patience_(patience), began_(Clock::now()), heard_(began_) {
  if (!say_) return;
  // A signal is for the thread that waits for it (signals.hpp), which may be set up later than this one: a
  // thread that takes it in its stead would end the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Waiting::Waiting(const CommonOptions& common) : Waiting(on_stderr(common)) {}

Waiting::~Waiting() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  watcher_.join();
}

void Waiting::on(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (what_ == what) return;
  what_ = what;
  so_far_.clear();
  began_ = Clock::now();
}

void Waiting::so_far(const std::string& progress) {
  const std::lock_guard lock(mutex_);
  so_far_ = progress;
}

void Waiting::heard() {
  const std::lock_guard lock(mutex_);
  heard_ = Clock::now();
}

void Waiting::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // Wakes for the end alone; what is new is seen when the time is up.
    changed_.wait_until(lock, stop, heard_ + patience_, [] { return false; });
    const Clock::time_point now = Clock::now();
    if (stop.stop_requested() || now < heard_ + patience_) continue;
    heard_ = now;
    if (what_.empty()) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - began_).count();
    const std::string text =
        fmt::format("evo: {}{}{}, {} s", what_, so_far_.empty() ? "" : ", ", so_far_, seconds);
    lock.unlock();
    say_(text);
    lock.lock();
  }
}

}  // namespace evo::terminal
