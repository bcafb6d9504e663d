// What runs lend each other, at a farm's server: a stream that is read by key alone.
#pragma once

#include <optional>
#include <string>

#include "farm/nats/jetstream.hpp"
#include "farm/shelf.hpp"

namespace evo::farm::nats {

class NatsShelf final : public Shelf {
 public:
  /// Of a run's connection, which must outlive it.
  explicit NatsShelf(Jetstream& jetstream) : jetstream_(jetstream) {}

  [[nodiscard]] std::optional<std::string> find(const std::string& key) override;
  void put(const std::string& key, const std::string& bytes) override;
  void drop(const std::string& key) override;

 private:
  Jetstream& jetstream_;
};

}  // namespace evo::farm::nats
