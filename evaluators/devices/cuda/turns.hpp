// Turns on a GPU: of all processes that take them, one works at a time, so that nothing runs beside what is
// being timed, while the others compare and prepare on the host.
#pragma once

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

  /// From now on takes turns with all processes that named the same file, which is made if need be. The lock
  /// ends with the process, however it ends. Throws model::Exception(environment) if the file cannot be
  /// opened.
  void share(const std::string& file);
  [[nodiscard]] devices::Turn take();

  [[nodiscard]] double held_seconds() const { return held_seconds_; }
  [[nodiscard]] double waiting_seconds() const { return waiting_seconds_; }

 private:
  void end(double since);

  int file_ = -1;
  std::weak_ptr<void> held_;
  double held_seconds_ = 0, waiting_seconds_ = 0;
};

/// The file that all workers of this user on this host use for the GPU of that UUID.
[[nodiscard]] std::string turn_file(const std::string& uuid);

}  // namespace evo::evaluators::cuda
