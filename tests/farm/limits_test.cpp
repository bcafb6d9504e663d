// What a farm's server takes of its machine, and what happens where it is all used up.
#include <fstream>
#include <future>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"
#include "farm/nats/shelf.hpp"
#include "farm/nats/stream_configs.hpp"
#include "farm/nats/streams.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

class FarmLimits : public Nats {
 protected:
  void restart_with(const nats::ServerLimits& limits) {
    child_.reset();
    nats::ServerOptions options;
    options.port = free_port();
    options.folder = folder_ / "limited";
    options.limits = limits;
    server_ = nats::prepare_server(options);
    start();
  }
  std::int64_t stored(nats::NatsQueue& queue, const std::string& stream, const char* what, const char* part) {
    const auto info = queue.jetstream().api("STREAM.INFO." + stream);
    return info ? info->at(part).as_object().at(what).as_int64() : -1;
  }
  std::int64_t bound_of(nats::NatsQueue& queue, const std::string& stream) {
    return stored(queue, stream, "max_bytes", "config");
  }
};

TEST_F(FarmLimits, WhoFindsAllConnectionsTakenWaitsForOneOrSaysSo) {
  nats::ServerLimits limits;
  limits.connections = nats::least_connections;
  restart_with(limits);
  nats::Access access = nats::access_of(server_.url, "", "");
  access.wait = 60s;
  std::vector<std::unique_ptr<nats::Connection>> all;
  for (int i = 0; i < limits.connections; ++i) all.push_back(std::make_unique<nats::Connection>(access));
  nats::Access hasty = access;
  hasty.wait = 0ms;
  try {
    const nats::Connection one_more(hasty);
    FAIL() << "one more than there may be";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("--max-connections"), std::string::npos) << error.what();
  }
  auto waits = std::async(std::launch::async, [&] { return std::make_unique<nats::Connection>(access); });
  EXPECT_EQ(waits.wait_for(300ms), std::future_status::timeout);
  all.pop_back();
  EXPECT_NO_THROW(static_cast<void>(waits.get()));
}

TEST_F(FarmLimits, ASmallServerHasRoomForEachLineOfJobs) {
  nats::ServerLimits limits;
  limits.disk_bytes = nats::least_disk_bytes;
  restart_with(limits);
  const auto killed = made([](const nats::Access& access, const nats::Patience& patience) {
    return std::make_unique<nats::Jetstream>(access, patience);
  });
  // A run that was killed while it looked for room.
  ASSERT_TRUE(killed->api("STREAM.CREATE.EVO_ROOM", nats::probe_config(nats::mebibytes(120))));
  const auto queue = coordinator();
  queue->clear("run");
  std::int64_t all = 0;
  for (const char* stream : {nats::results_stream, nats::code_stream, nats::shelf_stream}) {
    EXPECT_GT(bound_of(*queue, stream), 0) << stream;
    all += bound_of(*queue, stream);
  }
  for (int line = 0; line < nats::least_lines; ++line) {
    const std::string name = fmt::format("line{}", line);
    queue->put_job({"run", "a", name}, name, std::string(farm::max_message_bytes, 'x'));
    all += bound_of(*queue, nats::jobs_stream(name));
    EXPECT_EQ(queue->jobs_of("run", name), std::set<std::string>{"a"});
  }
  EXPECT_LE(all, limits.disk_bytes);
  // Who comes later leaves it so.
  const std::int64_t before = bound_of(*queue, nats::results_stream);
  const auto another = coordinator();
  EXPECT_EQ(bound_of(*another, nats::results_stream), before);
  EXPECT_EQ(queue->jobs_of("run", "line0"), std::set<std::string>{"a"});
}

// Whatever was queued without bounds by an older version is bounded from then on, and the rest fits beside.
TEST_F(FarmLimits, StreamsOfAnOlderVersionAreMended) {
  nats::ServerLimits limits;
  limits.disk_bytes = nats::mebibytes(1024);
  restart_with(limits);
  const auto first = made([](const nats::Access& access, const nats::Patience& patience) {
    return std::make_unique<nats::Jetstream>(access, patience);
  });
  for (const auto& [stream, subject] : std::map<std::string, std::string>{
           {nats::results_stream, "evo.results.*"}, {nats::jobs_stream("virtual"), "evo.jobs.virtual.*.*"}}) {
    ASSERT_TRUE(first->api("STREAM.CREATE." + stream, {{"name", stream},
                                                       {"subjects", boost::json::array{subject}},
                                                       {"retention", "workqueue"},
                                                       {"storage", "file"}}));
  }
  ASSERT_TRUE(first->api("STREAM.CREATE.EVO_CODE", nats::code_config(nats::mebibytes(32))));
  const auto queue = coordinator();
  queue->put_job({"run", "a"}, "a", "a job");
  EXPECT_EQ(bound_of(*queue, nats::results_stream), nats::mebibytes(128));
  EXPECT_EQ(bound_of(*queue, nats::code_stream), nats::mebibytes(32)) << "it was bounded";
  EXPECT_EQ(bound_of(*queue, nats::jobs_stream("virtual")), nats::mebibytes(16));
  EXPECT_EQ(queue->jobs_of("run", "virtual"), std::set<std::string>{"a"});
}

TEST_F(FarmLimits, ALargeServerKeepsAGigabyteOfEachKind) {
  nats::ServerLimits limits;
  limits.disk_bytes = std::int64_t{8} << 30;
  restart_with(limits);
  const auto queue = coordinator();
  queue->put_job({"run", "a"}, "a", "a job");
  for (const char* stream : {nats::results_stream, nats::code_stream, nats::shelf_stream})
    EXPECT_EQ(bound_of(*queue, stream), nats::mebibytes(1024)) << stream;
  EXPECT_EQ(bound_of(*queue, nats::jobs_stream("virtual")), nats::mebibytes(128));
}

TEST_F(FarmLimits, AJobThatHasNoRoomWaitsForSome) {
  nats::ServerLimits limits;
  limits.disk_bytes = nats::least_disk_bytes;
  restart_with(limits);
  std::atomic<int> told = 0;
  const auto queue = made([&](const nats::Access& access, nats::Patience patience) {
    patience.log = [&](const std::string&) { ++told; };
    return nats::NatsQueue::of_coordinator(access, patience);
  });
  queue->clear("run");
  const std::string large(6 << 20, 'x');
  for (const char* id : {"a", "b"}) queue->put_job({"run", id}, id, large);
  auto third = std::async(std::launch::async, [&] { queue->put_job({"run", "c"}, "c", large); });
  EXPECT_EQ(third.wait_for(1s), std::future_status::timeout) << "nothing is pushed out for it";
  EXPECT_EQ(told, 1);
  const auto mine = worker();
  auto job = mine->take_job(2000ms);
  for (int tries = 0; !job && tries < 20; ++tries) job = mine->take_job(2000ms);
  ASSERT_TRUE(job);
  mine->done(job->lease);
  EXPECT_NO_THROW(third.get());
  EXPECT_EQ(queue->jobs_of("run", "virtual").size(), 2U);
}

TEST_F(FarmLimits, WhoStopsDoesNotWaitForRoom) {
  nats::ServerLimits limits;
  limits.disk_bytes = nats::least_disk_bytes;
  restart_with(limits);
  std::stop_source stop;
  const auto queue = made([&](const nats::Access& access, nats::Patience patience) {
    patience.stop = stop.get_token();
    return nats::NatsQueue::of_coordinator(access, patience);
  });
  const std::string large(6 << 20, 'x');
  for (const char* id : {"a", "b"}) queue->put_job({"run", id}, id, large);
  auto third = std::async(std::launch::async, [&] { queue->put_job({"run", "c"}, "c", large); });
  EXPECT_EQ(third.wait_for(300ms), std::future_status::timeout);
  stop.request_stop();
  try {
    third.get();
    FAIL() << "there is no room";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::interrupted) << "it has not waited as long as it may";
  }
}

// Whoever says that he is another one each time.
TEST_F(FarmLimits, SignsTakeABoundedPartOfTheMemory) {
  nats::ServerLimits limits;
  limits.memory_bytes = nats::least_memory_bytes;
  restart_with(limits);
  const auto queue = coordinator();
  nats::Connection& liar = queue->jetstream().connection();
  for (int i = 0; i < 300; ++i)
    liar.publish(fmt::format("evo.presence.worker.w{}", i), std::string(12000, 'x'));
  liar.flush(10s);
  const std::int64_t bytes = stored(*queue, nats::presence_stream, "bytes", "state");
  EXPECT_GT(bytes, 0);
  EXPECT_LE(bytes, limits.memory_bytes);
  EXPECT_NO_THROW(static_cast<void>(coordinator())) << "another run has the same ones";
  liar.publish("evo.presence.worker.late", "{}");
  liar.flush(10s);
  const auto late = queue->jetstream().api(std::string("STREAM.INFO.") + nats::presence_stream,
                                           {{"subjects_filter", "evo.presence.worker.late"}});
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->at("state").as_object().contains("subjects")) << "the oldest makes room";
}

TEST_F(FarmLimits, TheShelfIsOfRunsAlone) {
  child_.reset();
  nats::ServerOptions options;
  options.port = free_port();
  options.folder = folder_ / "tokens";
  options.tokens = true;
  server_ = nats::prepare_server(options);
  start();
  const auto access = [&](const fs::path& token) {
    nats::Access made = nats::access_of(server_.url, token.string(), "");
    made.wait = 60s;
    return made;
  };
  const auto of_run = [&] { return nats::NatsQueue::of_coordinator(access(server_.run_token), patient()); };
  const auto one = of_run(), other = of_run();
  const auto mine = nats::NatsQueue::of_worker(access(server_.worker_token), patient());
  nats::NatsShelf put(one->jetstream()), found(other->jetstream()), of_worker(mine->jetstream());
  const std::string key(64, 'a'), bytes = std::string(100000, '\0') + "end";
  EXPECT_FALSE(found.find(key));
  put.put(key, bytes);
  one->jetstream().connection().flush(5s);
  auto taken = found.find(key);
  for (int tries = 0; !taken && tries < 100; ++tries) {
    std::this_thread::sleep_for(50ms);
    taken = found.find(key);
  }
  EXPECT_EQ(taken, bytes);
  EXPECT_FALSE(found.find("*"));
  put.put("evil.name", bytes);
  EXPECT_FALSE(found.find("evil.name"));
  // A worker: neither reads nor writes.
  nats::Connection& worker_end = mine->jetstream().connection();
  for (const auto& [subject, body] : std::map<std::string, std::string>{
           {"$JS.API.DIRECT.GET.EVO_SHELF.evo.shelf." + key, ""},
           {"$JS.API.STREAM.MSG.GET.EVO_SHELF", R"({"last_by_subj": "evo.shelf.)" + key + R"("})"},
           {"evo.shelf." + key, "mine"}})
    EXPECT_FALSE(worker_end.request(subject, body, 300ms)) << subject;
  of_worker.put(key, "mine");
  worker_end.flush(5s);
  EXPECT_EQ(found.find(key), bytes);
  found.clear();
  EXPECT_FALSE(put.find(key));
}

TEST(FarmServer, IsToldItsLimits) {
  std::string name = (fs::temp_directory_path() / "evo-limits-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  nats::ServerOptions options;
  options.folder = name;
  options.limits.connections = 77;
  options.limits.disk_bytes = nats::least_disk_bytes + 1;
  options.limits.memory_bytes = nats::least_memory_bytes + 2;
  const auto config_of = [](const nats::Server& server) {
    std::ifstream in(server.config);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string text = config_of(nats::prepare_server(options));
  for (const std::string& line :
       {std::string("max_connections: 77\n"), fmt::format("max_file_store: {}\n", nats::least_disk_bytes + 1),
        fmt::format("max_memory_store: {}\n", nats::least_memory_bytes + 2),
        std::string("max_subscriptions: 256\n"), std::string("max_pending: 67108864\n")})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  options.limits.disk_bytes = 0;
  EXPECT_EQ(nats::prepare_server(options).limits.disk_bytes, nats::least_disk_bytes + 1)
      << "its streams may have put so much by";
  std::ofstream(options.folder / "disk_bytes") << "5\n";  // a disk that was full then
  const nats::Server usual = nats::prepare_server(options);
  EXPECT_NE(usual.limits.disk_bytes, 5);
  EXPECT_GT(usual.limits.disk_bytes, 0);
  EXPECT_LE(usual.limits.disk_bytes, std::int64_t{8} << 30);
  EXPECT_NE(config_of(usual).find(fmt::format("max_file_store: {}\n", usual.limits.disk_bytes)),
            std::string::npos);
  const auto code = [&](const nats::ServerLimits& limits) {
    nats::ServerOptions wrong = options;
    wrong.limits = limits;
    try {
      static_cast<void>(nats::prepare_server(wrong));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  EXPECT_EQ(code({nats::least_connections - 1, 0, nats::least_memory_bytes}), model::ExitCode::usage);
  EXPECT_EQ(code({8, nats::least_disk_bytes - 1, nats::least_memory_bytes}), model::ExitCode::usage);
  EXPECT_EQ(code({8, 0, nats::least_memory_bytes - 1}), model::ExitCode::usage);
  EXPECT_EQ(code({8, nats::least_disk_bytes, nats::least_memory_bytes}), model::ExitCode::done);
  fs::remove_all(name);
}

}  // namespace
}  // namespace evo::test
