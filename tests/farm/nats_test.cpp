// The queue on a real server on this machine; skipped where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <stop_token>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evaluators/process/child.hpp"
#include "farm/nats/connection.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/nats/server.hpp"
#include "model/error.hpp"

namespace evo::test {
namespace {

namespace fs = std::filesystem;
namespace nats = farm::nats;
using namespace std::chrono_literals;
using evaluators::process::Child;

constexpr const char* server_program = "/usr/sbin/nats-server";

/// One that nobody listens on now.
std::uint16_t free_port() {
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
  auto worker() { return made(nats::NatsQueue::of_worker); }

  fs::path folder_;
  nats::Server server_;
  std::unique_ptr<Child> child_;
};

TEST_F(Nats, WhoWaitsMayComeBeforeItsServer) {
  child_.reset();
  nats::Access access = nats::access_of(server_.url, "", "");
  EXPECT_THROW(nats::Connection{access}, model::Exception) << "nobody listens, and nobody waits";
  access.wait = 60s;
  std::jthread later([this] {
    std::this_thread::sleep_for(500ms);
    start();
  });
  EXPECT_GT(nats::Connection(access).max_payload(), 0);
}

TEST_F(Nats, WhoIsStoppedWaitsNoLonger) {
  child_.reset();
  nats::Access access = nats::access_of(server_.url, "", "");
  access.wait = 24h;
  std::stop_source stop;
  access.stop = stop.get_token();
  stop.request_stop();
  EXPECT_THROW(nats::Connection{access}, model::Exception);
}

TEST_F(Nats, EveryResultComesWhileOthersSendJobs) {
  constexpr int jobs = 1200, senders = 6;
  const auto queue = coordinator();
  queue->clear("run");
  std::atomic<int> next{0}, served{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < senders; ++i) {
    threads.emplace_back([&] {
      for (int job = next++; job < jobs; job = next++)
        queue->put_job({"run", std::to_string(job)}, std::to_string(job), std::to_string(job));
    });
  }
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, mine = worker()] {
      while (served < jobs) {
        const auto job = mine->take_job(100ms);
        if (!job) continue;
        mine->put_result("run", job->bytes);
        mine->done(job->lease);
        ++served;
      }
    });
  }
  std::set<std::string> came;
  int again = 0;
  for (int looks = 0; came.size() < jobs && looks < 300; ++looks) {
    while (const auto result = queue->take_result("run", 100ms)) {
      came.insert(result->bytes);
      again += result->times > 1 ? 1 : 0;
      queue->done(result->lease);
    }
  }
  EXPECT_EQ(came.size(), static_cast<std::size_t>(jobs));
  // A machine that stands still for a lease's time may see a few.
  EXPECT_LT(again, jobs / 20) << "results that were sent and did not arrive the first time";
  threads.clear();
  EXPECT_TRUE(queue->jobs_of("run").empty());
  EXPECT_FALSE(queue->take_result("run", 100ms));
}

TEST_F(Nats, ADeliverySaysHowManyWaitBehindIt) {
  const auto queue = coordinator();
  queue->clear("run");
  for (const char* text : {"a", "b", "c"}) queue->put_result("run", text);
  std::vector<std::uint64_t> behind;
  while (const auto result = queue->take_result("run", 1000ms)) {
    behind.push_back(result->behind);
    EXPECT_EQ(result->times, 1);
    queue->done(result->lease);
  }
  EXPECT_EQ(behind, (std::vector<std::uint64_t>{2, 1, 0}));
}

TEST_F(Nats, WhoIsThereIsKnownAgainAfterTheServerWasAway) {
  const auto queue = coordinator();
  const auto other = worker();
  const nats::Presence presence(other->jetstream().connection(), nats::Party::worker, "w", [] {
    return boost::json::object{{"threads", 3}};
  });
  const nats::Presence run(queue->jetstream().connection(), nats::Party::run, "another",
                           [] { return boost::json::object{}; });
  const auto known = [&] {
    for (int looks = 0; looks < 100; ++looks) {
      const farm::Crowd crowd = queue->crowd("run");
      if (crowd.threads == 3 && crowd.others == 1 &&
          nats::status_of(queue->jetstream()).at("workers").as_array().size() == 1)
        return true;
      std::this_thread::sleep_for(200ms);
    }
    return false;
  };
  EXPECT_TRUE(known());
  start();  // what it had in memory is gone
  EXPECT_TRUE(known());
}

}  // namespace
}  // namespace evo::test
