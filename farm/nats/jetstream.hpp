// The requests of JetStream that a farm makes, as the server's own subjects take them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <boost/json/object.hpp>
#include <tl/expected.hpp>

#include "farm/nats/connection.hpp"

namespace evo::farm::nats {

struct Patience {
  /// How long an unreachable server is waited for. Zero: as long as it takes.
  std::chrono::milliseconds longest = std::chrono::minutes(10);
  std::stop_token stop{};  ///< ends all waiting: the call throws model::Exception(interrupted)
  std::function<void(const std::string&)> log{};  ///< told when the server is away, and when it is back
};

/// What the server refused, in its own words and with its code ("stream not found", 10059).
struct ApiError {
  int code = 0;
  std::string text;
};

/// Thread-safe.
class Jetstream {
 public:
  Jetstream(const Access& access, Patience patience);

  /// $JS.API.`call` with `body`; waits for the server as long as it is away. Throws
  /// model::Exception(environment) after that, and where the server has no JetStream.
  [[nodiscard]] tl::expected<boost::json::object, ApiError> api(const std::string& call,
                                                                const boost::json::object& body = {});
  /// Stores a message in the stream of `subject`; `once` is a mark that the server takes one time. The error
  /// is the server's; 503: no stream has this subject. The value is its number in the stream, 0 where the
  /// server does not tell.
  [[nodiscard]] tl::expected<std::uint64_t, ApiError> store(const std::string& subject,
                                                            const std::string& once, const std::string& data);
  /// The last message of a subject, of a stream that is read directly. Nothing: there is none,
  /// no stream, or a server that is away for long.
  [[nodiscard]] std::optional<std::string> last_of(const std::string& stream, const std::string& subject);
  /// The same in one attempt; the error: the server does not answer.
  [[nodiscard]] tl::expected<std::optional<std::string>, ApiError> last_of_once(const std::string& stream,
                                                                                const std::string& subject);
  [[nodiscard]] Connection& connection() { return connection_; }
  [[nodiscard]] const Patience& patience() const { return patience_; }

 private:
  [[nodiscard]] Reply insist(const std::string& subject, const std::string& data,
                             const Connection::Headers& headers, bool nobody_is_an_answer);

  Connection connection_;
  Patience patience_;
};

}  // namespace evo::farm::nats
