// A connection to a NATS server that comes back by itself after the server was away.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "farm/nats/library.hpp"

namespace evo::farm::nats {

/// Where a server is and what it wants to hear.
struct Access {
  std::string url;      ///< nats://HOST:PORT, or tls://HOST:PORT
  std::string user;     ///< empty: `secret` is a token
  std::string secret;   ///< empty: none
  std::string ca_file;  ///< PEM of who signed the server's certificate; empty: the system's
  std::string name;     ///< what the server's log calls this end
  std::string inbox;    ///< first word of the subjects of answers
};

/// Reads `token_file` ("USER:SECRET" or "TOKEN", one line; "": none) and checks the URL. Throws
/// model::Exception: (usage) a URL that is none of nats:// and tls://, or has a password in it, where every
/// list of processes would show it; (environment) a file that cannot be read or that others may read.
[[nodiscard]] Access access_of(const std::string& url, const std::string& token_file,
                               const std::string& ca_file);

struct Reply {
  std::string data;
  std::string reply_to;
  int status = 0;  ///< of the server's header; 0: a message
};

/// Thread-safe.
class Connection {
 public:
  /// Throws model::Exception(environment): no library, no server, a wrong token or certificate.
  explicit Connection(const Access& access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using Headers = std::map<std::string, std::string>;
  /// Nullopt: no answer in time. Status 503: nobody listens there. Throws model::Exception(environment) when
  /// the connection is closed for good: the server refuses this end by now.
  [[nodiscard]] std::optional<Reply> request(const std::string& subject, const std::string& data,
                                             std::chrono::milliseconds timeout, const Headers& headers = {});
  /// Best effort: while the server is away messages are kept, as long as there is room.
  void publish(const std::string& subject, const std::string& data);
  /// Waits until the server has all that was published.
  void flush(std::chrono::milliseconds timeout);
  /// Bytes.
  [[nodiscard]] std::int64_t max_payload();
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  void require_open(Status status);

  Library nats_;
  Handle* handle_ = nullptr;
  std::string url_;
};

}  // namespace evo::farm::nats
