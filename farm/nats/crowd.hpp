// Who is on a farm, heard as they say so: a look costs no way to the server for each of them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "farm/nats/jetstream.hpp"
#include "farm/nats/presence.hpp"
#include "farm/queue.hpp"

namespace evo::farm::nats {

/// For one thread at a time.
class LiveCrowd {
 public:
  /// Begins with whom the server knows. It must outlive this.
  explicit LiveCrowd(Jetstream& jetstream);

  /// Also makes the streams again where the server has lost the one of presence, which is in its memory.
  [[nodiscard]] Crowd of(const std::string& run);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::map<std::string, int> threads{};  ///< by line
    Clock::time_point at{};
  };

  void note(const Signed& sign);
  void hear();

  Jetstream& jetstream_;
  std::unique_ptr<Subscription> signs_;
  std::map<std::string, Seen> workers_, runs_;  ///< by their names
};

}  // namespace evo::farm::nats
