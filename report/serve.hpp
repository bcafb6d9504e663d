// The page over HTTP, live: read-only, on this machine unless a token guards it.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace evo::report {

struct ServeSettings {
  std::vector<std::string> runs, benches;
  std::string host = "127.0.0.1";  ///< address to listen on
  std::uint16_t port = 0;          ///< 0 = any that is free
  /// What every request has to bring as ?token=. Empty: nobody is asked, which is refused where `host` is no
  /// address of this machine alone.
  std::string token;
};

/// 32 random hexadecimal digits.
[[nodiscard]] std::string new_token();
/// True for 127.0.0.0/8 and ::1.
[[nodiscard]] bool is_loopback(const std::string& host);

/// Answers GET and HEAD of / (the page), data.json, changes.json?since=VERSION (Snapshot::Data::since()), and
/// events (server-sent: the version, one for each change).
class Server {
 public:
  /// Reads the runs and listens. Throws as document_of() does, and model::Exception: (usage) `host` is no
  /// address, or one of the network without a token, (environment) the port cannot be had.
  explicit Server(ServeSettings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:8719/", with the token if there is one.
  [[nodiscard]] std::string address() const;
  /// Until `stop`; then every connection is closed.
  void run(const std::stop_token& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace evo::report
