// An endpoint on loopback that answers as a test tells it to, one connection a request.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace evo::llm::testing {

class FakeServer {
 public:
  /// Gets the number of the request, from 0, and the whole request; gives the whole response. Empty: it says
  /// nothing until it is destroyed.
  using Answer = std::function<std::string(int, const std::string&)>;

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 8);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    stop_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  [[nodiscard]] std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  [[nodiscard]] int requests() const { return requests_; }

  static std::string response(const std::string& status, const std::string& body,
                              const std::string& headers = {}) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
           "Connection: close\r\n\r\n" + body;
  }

 private:
  void serve() {
    while (!stop_) {
      const int peer = ::accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      const std::string answer = answer_(requests_++, read_request(peer));
      while (answer.empty() && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!answer.empty()) (void)::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(peer);
    }
  }

  static std::string read_request(int peer) {
    std::string text;
    char part[4096];
    std::size_t wanted = std::string::npos;
    while (text.size() < wanted) {
      const ssize_t got = ::recv(peer, part, sizeof part, 0);
      if (got <= 0) break;
      text.append(part, static_cast<std::size_t>(got));
      const std::size_t head = text.find("\r\n\r\n");
      const std::size_t length = text.find("Content-Length: ");
      if (head != std::string::npos && length != std::string::npos)
        wanted = head + 4 + std::stoul(text.substr(length + 16));
    }
    return text;
  }

  Answer answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

}  // namespace evo::llm::testing
