// Who is there: coordinators and workers say so every few seconds, and `evo farm status` reads the last sign
// of each.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/object.hpp>

#include "farm/gpu.hpp"
#include "farm/nats/jetstream.hpp"

namespace evo::farm::nats {

enum class Party : std::uint8_t { worker, run };

/// Says `sign()` under `name`, a plain name, from a thread of its own until it is destroyed, and then that it
/// has left.
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

/// The farm as its server has it: {"url", "jobs": {"waiting", "lent", "lent_again"}, "lines": {LINE: as
/// jobs}, "results", "workers": [...], "runs": [...]}; the last two as Presence says them. "jobs" is all
/// lines.
[[nodiscard]] boost::json::object status_of(Jetstream& jetstream);

/// At a server that no run has used yet nobody keeps signs: sees to it, and waits until everybody has said
/// again that he is there. Of somebody who may make streams, a run or who looks at it.
void wait_for_first_signs(Jetstream& jetstream);

/// The GPUs of all workers that are there, as they say.
[[nodiscard]] std::vector<Gpu> gpus_of(Jetstream& jetstream);

/// The subjects of all signs. A text that is not Presence's is no party's.
inline constexpr const char* all_signs = "evo.presence.>";
struct Signed {
  Party party = Party::worker;
  std::string name;
  /// Of a worker, by line. What somebody says of himself is bounded.
  std::map<std::string, int> threads{};
  bool left = false;  ///< it is no longer there
};
[[nodiscard]] std::optional<Signed> sign_of(const std::string& subject, const std::string& text);
/// The last sign of each, as the server has it.
[[nodiscard]] std::vector<Signed> present(Jetstream& jetstream);

}  // namespace evo::farm::nats
