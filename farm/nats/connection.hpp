// A connection to a NATS server that comes back by itself after the server was away.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "farm/nats/library.hpp"
#include "farm/nats/nonce.hpp"

namespace evo::farm::nats {

/// Where a server is and what it wants to hear.
struct Access {
  std::string url;     ///< nats://HOST:PORT, or tls://HOST:PORT
  std::string user;    ///< empty: `secret` is a token
  std::string secret;  ///< empty: none
  std::string nkey{};  ///< public key whose seed is in `seed_file`; empty: no NKey
  std::string seed_file{};
  std::string ca_file;  ///< PEM of who signed the server's certificate; empty: the system's
  std::string name;     ///< what the server's log calls this end
  std::string inbox;    ///< first word of the subjects of answers
  /// How long a server may take to come up: nobody listens there until then. One that refuses is not waited
  /// for.
  std::chrono::milliseconds wait{0};
  std::stop_token stop;  ///< ends the wait
};

/// A public NKey of a user: "U" and 55 characters of base32.
[[nodiscard]] bool is_user_nkey(const std::string& text);

/// Reads `token_file` ("USER:SECRET" or "TOKEN", one line; or an NKey: its seed, "SU...", and in a line of
/// its own its public key, "U..."; "": none) and checks the URL. Throws model::Exception: (usage) a URL that
/// is none of nats:// and tls://, or has a password in it, where every list of processes would show it;
/// (environment) a file that cannot be read or that others may read.
[[nodiscard]] Access access_of(const std::string& url, const std::string& token_file,
                               const std::string& ca_file);

/// Throws model::Exception(environment) for a worker's token of evo farm up: a server does not answer what it
/// does not allow.
void require_a_runs(const Access& access);

struct Reply {
  std::string data;
  std::string reply_to;
  std::string subject;
  int status = 0;  ///< of the server's header; 0: a message
};

/// Messages of a subject, in their order. What comes faster than it is taken is kept up to 64 MiB, then
/// dropped. Its connection must outlive it.
class Subscription {
 public:
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  /// Nullopt: none in time. Throws model::Exception(environment) when the connection is closed for good.
  [[nodiscard]] std::optional<Reply> next(std::chrono::milliseconds timeout);

 private:
  friend class Connection;
  Subscription(Library nats, Subscribed* handle, std::string url)
      : nats_(nats), handle_(handle), url_(std::move(url)) {}

  Library nats_;
  Subscribed* handle_;
  std::string url_;
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
  /// the connection is closed for good: the server refuses this end by now. Not for an answer that comes
  /// under a subject of its own, as JetStream sends a consumer's messages: libnats knows whose it is only
  /// while no other request is under way, and drops it otherwise. Those are for subscribe().
  [[nodiscard]] std::optional<Reply> request(const std::string& subject, const std::string& data,
                                             std::chrono::milliseconds timeout, const Headers& headers = {});
  /// Best effort: while the server is away messages are kept, as long as there is room.
  void publish(const std::string& subject, const std::string& data);
  /// The answers go to `reply_to`.
  void publish(const std::string& subject, const std::string& reply_to, const std::string& data);
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(const std::string& subject);
  /// A subject that is this connection's alone; more words may follow.
  [[nodiscard]] std::string draw_inbox() const;
  /// Waits until the server has all that was published.
  void flush(std::chrono::milliseconds timeout);
  /// Bytes.
  [[nodiscard]] std::int64_t max_payload();
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  [[nodiscard]] bool may_answer_later(Status status) const;
  Status connect(Options* options);

  Library nats_;
  std::unique_ptr<NonceSigner> signer_;  ///< null: no NKey
  Handle* handle_ = nullptr;
  std::string url_, inbox_;
};

}  // namespace evo::farm::nats
