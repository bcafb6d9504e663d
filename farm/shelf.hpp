// Port: what runs of a farm lend each other, so that what one has had compiled no other compiles again. Real:
// farm/nats. Fake: tests/session.
#pragma once

#include <optional>
#include <string>

namespace evo::farm {

/// Of runs alone: a worker neither reads nor writes it. Thread-safe; a shelf that is away is an empty one.
class Shelf {
 public:
  virtual ~Shelf() = default;
  /// Whatever somebody put there under this key, a plain name: who takes it has to judge it.
  [[nodiscard]] virtual std::optional<std::string> find(const std::string& key) = 0;
  /// In place of what is there. Nothing where it is longer than a message, and where there is no room.
  virtual void put(const std::string& key, const std::string& bytes) = 0;
  /// Takes all that is there away from all runs, in one attempt; throws nothing.
  virtual void clear() = 0;
};

}  // namespace evo::farm
