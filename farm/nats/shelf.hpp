// What runs lend each other, at a farm's server: a stream that is read by key alone.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "farm/nats/jetstream.hpp"
#include "farm/shelf.hpp"

namespace evo::farm::nats {

class NatsShelf final : public Shelf {
 public:
  /// Of a run's connection, which must outlive it. A server that does not answer is not asked again for
  /// `rest`: who looks there compiles it himself meanwhile.
  explicit NatsShelf(Jetstream& jetstream, std::chrono::milliseconds rest = std::chrono::seconds(30))
      : jetstream_(jetstream), rest_(rest) {}

  [[nodiscard]] std::optional<std::string> find(const std::string& key) override;
  void put(const std::string& key, const std::string& bytes) override;
  void clear() override;

 private:
  using Clock = std::chrono::steady_clock;
  Jetstream& jetstream_;
  const std::chrono::milliseconds rest_;
  std::atomic<Clock::time_point> not_before_{Clock::time_point::min()};
};

/// Takes all that lies on the shelf of a server away: of the one that `access` reaches, or, where none is up
/// (`is_up`), of the one whose folder it is. Throws model::Exception(environment) where that cannot be done.
void clear_shelf(const std::filesystem::path& folder, const std::function<Access()>& access, bool is_up);

}  // namespace evo::farm::nats
