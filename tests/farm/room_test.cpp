// A farm's server that has no room left, and its shelf.
#include <atomic>
#include <future>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/nats/shelf.hpp"
#include "farm/nats/stream_configs.hpp"
#include "farm/nats/streams.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

class FarmRoom : public Nats {
 protected:
  void restart_with_disk(std::int64_t bytes) {
    child_.reset();
    nats::ServerOptions options;
    options.port = free_port();
    options.folder = folder_ / "limited";
    options.limits.disk_bytes = bytes;
    server_ = nats::prepare_server(options);
    start();
  }
  auto jetstream() {
    return made([](const nats::Access& access, const nats::Patience& patience) {
      return std::make_unique<nats::Jetstream>(access, patience);
    });
  }
  static boost::json::object other_stream(std::int64_t bytes) {
    return {{"name", "OTHER"},
            {"subjects", boost::json::array{"other"}},
            {"storage", "file"},
            {"max_bytes", bytes}};
  }
};

TEST_F(FarmRoom, AFullQueueIsSaidAtOnce) {
  restart_with_disk(nats::least_disk_bytes);
  const auto queue = coordinator();
  queue->clear("run");
  const std::string large(6 << 20, 'x');
  for (const char* id : {"a", "b"}) EXPECT_TRUE(queue->offer_job({"run", id}, id, large));
  EXPECT_FALSE(queue->offer_job({"run", "c"}, "c", large));
  EXPECT_EQ(queue->jobs_of("run", "virtual").size(), 2U);
}

TEST_F(FarmRoom, AMiddlingServerHasRoomForManyLines) {
  restart_with_disk(nats::mebibytes(512));
  const auto queue = coordinator();
  for (int line = 0; line < 16; ++line) {
    const std::string name = fmt::format("line{}", line);
    EXPECT_TRUE(queue->offer_job({"run", "a", name}, name, "a job")) << name;
  }
}

TEST_F(FarmRoom, ALineWithoutRoomEndsNoRun) {
  restart_with_disk(nats::least_disk_bytes);
  const auto first = coordinator();
  // Of an older version, without a bound; and nothing is left for one.
  ASSERT_TRUE(first->jetstream().api("STREAM.CREATE." + nats::jobs_stream("strange"),
                                     {{"name", nats::jobs_stream("strange")},
                                      {"subjects", boost::json::array{"evo.jobs.strange.*.*"}},
                                      {"retention", "workqueue"},
                                      {"storage", "file"}}));
  ASSERT_TRUE(first->jetstream().api("STREAM.CREATE.OTHER", other_stream(nats::mebibytes(76))));
  std::atomic<int> told = 0;
  nats::Patience patience = patient();
  patience.log = [&](const std::string&) { ++told; };
  std::unique_ptr<nats::NatsQueue> second;
  ASSERT_NO_THROW(second = nats::NatsQueue::of_coordinator(nats::access_of(server_.url, "", ""), patience));
  EXPECT_GT(told, 0);
  EXPECT_FALSE(second->offer_job({"run", "a", "own"}, "a", "a job"));
}

// Two runs that come first look for room at the same time.
TEST_F(FarmRoom, WhatAnotherRunHasForAMomentIsWaitedFor) {
  restart_with_disk(nats::least_disk_bytes);
  const auto other = jetstream();
  ASSERT_TRUE(other->api("STREAM.CREATE.OTHER", other_stream(nats::mebibytes(120))));
  auto queue = std::async(std::launch::async, [&] {
    return nats::NatsQueue::of_coordinator(nats::access_of(server_.url, "", ""), patient());
  });
  EXPECT_EQ(queue.wait_for(500ms), std::future_status::timeout);
  ASSERT_TRUE(other->api("STREAM.DELETE.OTHER"));
  EXPECT_NO_THROW(static_cast<void>(queue.get()));
}

TEST_F(FarmRoom, AShelfThatDoesNotAnswerIsLeftAloneForAWhile) {
  const auto queue = coordinator();
  nats::NatsShelf resting(queue->jetstream(), 1h), eager(queue->jetstream(), 0ms);
  const std::string key(64, 'a');
  resting.put(key, "there");
  queue->jetstream().connection().flush(5s);
  EXPECT_EQ(resting.find(key), "there");
  child_.reset();
  EXPECT_FALSE(resting.find(key));
  EXPECT_FALSE(eager.find(key));
  start();
  std::optional<std::string> found;
  for (int tries = 0; !found && tries < 100; ++tries) {
    std::this_thread::sleep_for(50ms);
    found = eager.find(key);
  }
  EXPECT_EQ(found, "there");
  EXPECT_FALSE(resting.find(key));
}

TEST_F(FarmRoom, AShelfIsEmptiedWhetherItsServerRunsOrNot) {
  const std::string key(64, 'a');
  const auto access = [this] { return nats::access_of(server_.url, "", ""); };
  const auto found = [&](const char* put) {
    const auto queue = coordinator();
    nats::NatsShelf shelf(queue->jetstream());
    if (put != nullptr) {
      shelf.put(key, put);
      queue->jetstream().connection().flush(5s);
      EXPECT_EQ(shelf.find(key), put);
    }
    return shelf.find(key).has_value();
  };
  EXPECT_TRUE(found("one"));
  nats::clear_shelf(folder_, access, true);
  EXPECT_FALSE(found(nullptr));
  EXPECT_TRUE(found("two"));
  child_.reset();
  nats::clear_shelf(folder_, access, false);
  start();
  EXPECT_FALSE(found(nullptr));
}

}  // namespace
}  // namespace evo::test
