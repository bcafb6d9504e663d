// A NATS server on this machine, for tests of what meets there; they are skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evaluators/process/child.hpp"
#include "farm/nats/connection.hpp"
#include "farm/nats/queue.hpp"
#include "farm/nats/server.hpp"
#include "model/error.hpp"

namespace evo::test {

namespace fs = std::filesystem;
namespace nats = farm::nats;
using namespace std::chrono_literals;
using evaluators::process::Child;

inline constexpr const char* server_program = "/usr/sbin/nats-server";

/// One that nobody listens on now.
inline std::uint16_t free_port() {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(s, reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(s, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(s);
  return ntohs(address.sin_port);
}

class Nats : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(server_program)) GTEST_SKIP() << "no nats-server";
    try {
      static_cast<void>(nats::load_library());
    } catch (const model::Exception& error) {
      GTEST_SKIP() << error.what();
    }
    std::string name = (fs::temp_directory_path() / "evo-nats-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    nats::ServerOptions options;
    options.port = free_port();
    options.folder = folder_;
    server_ = nats::prepare_server(options);
    start();
  }
  void TearDown() override {
    child_.reset();
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  void start() {
    child_.reset();
    child_ = std::make_unique<Child>(Child::spawn({server_program, "-c", server_.config.string()}, {}));
  }
  [[nodiscard]] nats::Patience patient() const { return {60s, {}, {}}; }
  /// The server may be starting.
  template <class Make>
  auto made(const Make& make) {
    for (int tries = 0;; ++tries) {
      try {
        return make(nats::access_of(server_.url, "", ""), patient());
      } catch (const model::Exception&) {
        if (tries == 100) throw;
        std::this_thread::sleep_for(100ms);
      }
    }
  }
  auto coordinator() { return made(nats::NatsQueue::of_coordinator); }
  auto worker(const std::string& line = "virtual") {
    return made([&](const nats::Access& access, const nats::Patience& patience) {
      return nats::NatsQueue::of_worker(access, patience, line);
    });
  }

  fs::path folder_;
  nats::Server server_;
  std::unique_ptr<Child> child_;
};

}  // namespace evo::test
