// Who is there: coordinators and workers say so every few seconds, and `evo farm status` reads the last sign
// of each.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <boost/json/object.hpp>

#include "farm/nats/jetstream.hpp"
#include "farm/queue.hpp"

namespace evo::farm::nats {

enum class Party : std::uint8_t { worker, run };

/// Says `sign()` under `name`, a plain name, from a thread of its own until it is destroyed.
class Presence {
 public:
  /// The connection must outlive it.
  Presence(Connection& connection, Party party, const std::string& name,
           std::function<boost::json::object()> sign);

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// The farm as its server has it: {"url", "jobs": {"waiting", "lent", "lent_again"}, "results", "workers":
/// [...], "runs": [...]}; the last two as Presence says them.
[[nodiscard]] boost::json::object status_of(Jetstream& jetstream);

/// Of these signs what a run's share hangs on. What somebody says of himself is bounded.
[[nodiscard]] Crowd crowd_of(Jetstream& jetstream, const std::string& run);

}  // namespace evo::farm::nats
