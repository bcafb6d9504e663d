// Turns on a GPU: of all processes that take them, one works at a time, so that nothing runs beside what is
// being timed, while the others compare and prepare on the host.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Not thread-safe. Without a file it only counts the time.
class Turns {
 public:
  Turns() = default;
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// From now on takes turns with all processes that named the same file, which is made if need be, like one
  /// beside it for the next in line: who asks again at once comes behind whoever waits. The locks end with
  /// the process, however it ends. The files may be another user's. Throws model::Exception(environment) if
  /// one cannot be opened, or is no plain file.
  void share(const std::string& file);
  /// The same for a thread beside the one that has `own`, which outlives this: while that holds a turn, this
  /// one is part of it, since its holder may be waiting for this thread.
  void share_beside(const std::string& file, const Turns& own);
  [[nodiscard]] devices::DeviceLock take();
  /// From any thread.
  [[nodiscard]] bool is_held() const { return is_held_; }

  [[nodiscard]] double held_seconds() const { return held_seconds_; }
  [[nodiscard]] double waiting_seconds() const { return waiting_seconds_; }

 private:
  void end(double since);
  [[nodiscard]] bool lock(int file) const;
  [[nodiscard]] bool wait();

  int file_ = -1;
  int next_ = -1;  ///< held by the one who waits for `file_`, and by nobody else
  const Turns* own_ = nullptr;
  std::atomic<bool> is_held_ = false;
  std::weak_ptr<void> held_;
  double held_seconds_ = 0, waiting_seconds_ = 0;
};

/// The file that all workers on this host use for the GPU of that UUID, whoever runs them.
[[nodiscard]] std::string turn_file(const std::string& uuid);

}  // namespace evo::evaluators::cuda
