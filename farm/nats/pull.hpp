// A pull consumer's messages, asked for several at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "farm/nats/connection.hpp"

namespace evo::farm::nats {

/// For one thread. What came and was not taken when it ends is given back.
class Pull {
 public:
  /// Up to `batch` messages are lent to this end at a time. The connection must outlive it.
  Pull(Connection& connection, const std::string& stream, const std::string& consumer, int batch);
  ~Pull();
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;

  enum class End : std::uint8_t {
    none,    ///< no message in time
    nobody,  ///< no answer: there is no such stream or consumer, or no server
  };
  struct Next {
    std::optional<Reply> message{};
    End end = End::none;
  };
  [[nodiscard]] Next next(std::chrono::milliseconds wait);
  /// What is there and no other end waits for: the server says at once whether there is something.
  [[nodiscard]] std::optional<Reply> at_once();

 private:
  using Clock = std::chrono::steady_clock;

  void ask();
  void ask_for(const std::string& what, int messages, std::chrono::milliseconds answered_within);
  [[nodiscard]] bool is_of_last(const Reply& status) const;

  Connection& connection_;
  std::string subject_, inbox_;
  int batch_;
  std::unique_ptr<Subscription> answers_;
  int late_ = 0;  ///< requests that were given up and may still be answered
  int open_ = 0;  ///< messages that were asked for and have not come
  std::uint64_t asked_ = 0;
  Clock::time_point ends_{};  ///< the last request is answered by then, or not at all
};

}  // namespace evo::farm::nats
