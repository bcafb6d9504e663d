// The greeting of a NATS server, and no more of it: what it asks an end, and what that answers.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace evo::test {

/// What a connection meets, in their order; the last of them also those that come later.
struct Greeting {
  std::string nonce;
  std::string refusal{};     ///< said in place of the answer to a signature; empty: none
  bool then_closed = false;  ///< once it was answered
};

class FakeNats {
 public:
  explicit FakeNats(std::vector<Greeting> greetings) : greetings_(std::move(greetings)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  ~FakeNats() {
    ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
    thread_.join();
    ::close(listener_);
  }
  FakeNats(const FakeNats&) = delete;
  FakeNats& operator=(const FakeNats&) = delete;

  [[nodiscard]] std::string url() const { return "nats://127.0.0.1:" + std::to_string(port_); }

  std::atomic<int> with_signature{0}, without{0}, gone{0};  ///< ends that said CONNECT; that left before

 private:
  static void say(int end, const std::string& text) {
    static_cast<void>(::send(end, text.data(), text.size(), MSG_NOSIGNAL));
  }
  void serve() {
    std::vector<int> open;
    for (std::size_t i = 0;; ++i) {
      const int end = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (end < 0) break;
      const Greeting& greeting = greetings_[std::min(i, greetings_.size() - 1)];
      say(end,
          R"(INFO {"server_id":"F","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576,"auth_required":true,"nonce":")" +
              greeting.nonce + "\"}\r\n");
      std::string said;
      char part[4096];
      for (ssize_t got = 1; got > 0 && said.find("PING") == std::string::npos;) {
        got = ::recv(end, part, sizeof part, 0);
        said.append(part, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      }
      const bool is_signed = said.find("\"sig\":\"") != std::string::npos;
      if (said.empty()) {
        ++gone;
      } else {
        if (!greeting.refusal.empty() || !is_signed)
          say(end, "-ERR '" + (is_signed ? greeting.refusal : "Authorization Violation") + "'\r\n");
        else
          say(end, "PONG\r\n");
        ++(is_signed ? with_signature : without);
      }
      if (said.empty() || greeting.then_closed)
        ::close(end);
      else
        open.push_back(end);
    }
    for (const int end : open) ::close(end);
  }

  std::vector<Greeting> greetings_;
  int listener_ = -1;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace evo::test
