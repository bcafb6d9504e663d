// The queue on a real server on this machine; skipped where there is none.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <fstream>
#include <set>
#include <stop_token>
#include <thread>

#include "farm/nats/clock.hpp"
#include "farm/nats/presence.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

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

TEST(NatsAddress, IsOfAHostAndAPort) {
  const auto code = [](const char* url) {
    try {
      static_cast<void>(nats::access_of(url, "", ""));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  for (const char* url : {"nats://a:4222", "tls://10.0.0.1:4222", "nats://[::1]:4222", "nats://a"})
    EXPECT_EQ(code(url), model::ExitCode::done) << url;
  for (const char* url :
       {"a:4222", "http://a:4222", "nats://", "nats://:4222", "nats://a:", "nats://a:0", "nats://a:99999",
        "nats://a:42x", "nats://[::1:4222", "nats://a/b", "nats://u:p@a:4222"})
    EXPECT_EQ(code(url), model::ExitCode::usage) << url;
}

TEST_F(Nats, AnotherServerHasNeitherItsAddressNorItsFolder) {
  nats::ServerOptions options;
  options.folder = folder_ / "another";
  const std::string place = server_.url.substr(server_.url.rfind(':') + 1);
  options.port = static_cast<std::uint16_t>(std::stoi(place));
  static_cast<void>(coordinator());  // it is up
  EXPECT_THROW(nats::claim_place(options), model::Exception);
  options.port = free_port();
  EXPECT_NO_THROW(nats::claim_place(options));
  EXPECT_THROW(nats::claim_place(options), model::Exception) << "its folder is claimed";
}

TEST_F(Nats, WhatIsToBeSecureIsNotSentToAServerThatIsNot) {
  static_cast<void>(coordinator());  // it is up
  nats::Access access = nats::access_of(server_.url, "", "");
  access.wait = 0ms;
  EXPECT_NO_THROW(nats::Connection{access});
  nats::Access nobodys = access;
  nobodys.ca_file = folder_ / "no-certificate";
  EXPECT_THROW(nats::Connection{nobodys}, model::Exception) << "of nobody";
  access.url = "tls" + server_.url.substr(server_.url.find(':'));
  EXPECT_THROW(nats::Connection{access}, model::Exception);
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

/// The first in their process, as ctest runs tests.
TEST(NatsLibrary, ManyThreadsMayBeTheFirst) {
  if (!fs::exists(server_program)) GTEST_SKIP() << "no nats-server, and perhaps no library";
  constexpr int threads = 8;
  std::barrier ready(threads);
  std::atomic<int> refused_by_library{0};
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&] {
        ready.arrive_and_wait();
        try {
          const nats::Connection nobody(nats::access_of("nats://127.0.0.1:1", "", ""));
        } catch (const model::Exception& error) {
          if (std::string_view(error.what()).find("no NATS server answers") == std::string_view::npos)
            ++refused_by_library;
        }
      });
    }
  }
  EXPECT_EQ(refused_by_library, 0) << "all are told that nobody listens there";
}

TEST_F(Nats, AWorkerHearsARunsTime) {
  const auto queue = coordinator();
  const auto mine = worker();
  nats::Connection& connection = mine->jetstream().connection();
  EXPECT_FALSE(nats::ask_clock(connection, farm::read_clocks)) << "no run is there";
  const nats::ClockService service(queue->jetstream().connection(), "run", [] {
    return farm::Clocks{1000, 7};
  });
  std::optional<farm::ClockExchange> heard;
  for (int looks = 0; looks < 500 && !heard; ++looks) {
    if (looks > 0) std::this_thread::sleep_for(20ms);
    heard = nats::ask_clock(connection, farm::read_clocks);
  }
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->whose, "run");
  EXPECT_EQ(heard->theirs.wall, 1000);
  EXPECT_EQ(heard->theirs.steady, 7);
  EXPECT_LE(heard->asked.steady, heard->answered.steady);
}

TEST_F(Nats, ARunsClockAnswersNobodyButWorkers) {
  const auto queue = coordinator();
  const auto mine = worker();
  nats::Connection& run = queue->jetstream().connection();
  nats::Connection& evil = mine->jetstream().connection();
  const nats::ClockService service(run, "run");
  std::optional<farm::ClockExchange> heard;
  for (int looks = 0; looks < 500 && !heard; ++looks) {
    if (looks > 0) std::this_thread::sleep_for(20ms);
    heard = nats::ask_clock(evil, farm::read_clocks);
  }
  ASSERT_TRUE(heard);
  // The run may do what its worker may not: delete a stream, say, at a worker's word.
  const auto elsewhere = run.subscribe("evo.elsewhere");
  run.flush(5s);
  evil.publish("evo.clock", "evo.elsewhere", "");
  evil.flush(5s);
  EXPECT_TRUE(nats::ask_clock(evil, farm::read_clocks)) << "it has had the question before";
  EXPECT_FALSE(elsewhere->next(200ms));
}

TEST_F(Nats, WhoDoesNotWaitGetsWhatIsThereAndNothingLater) {
  const auto queue = coordinator();
  queue->clear("run");
  const auto ready = worker(), waiting = worker();
  queue->put_job({"run", "a"}, "a", "first");
  const auto first = ready->take_job(0ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes, "first");
  EXPECT_FALSE(ready->take_job(0ms));
  queue->put_job({"run", "b"}, "b", "second");
  const auto second = waiting->take_job(5s);
  ASSERT_TRUE(second) << "who asked and did not wait has no claim";
  EXPECT_EQ(second->bytes, "second");
  EXPECT_EQ(second->times, 1);
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
  EXPECT_TRUE(queue->jobs_of("run", "virtual").empty());
  EXPECT_FALSE(queue->take_result("run", 100ms));
}

TEST_F(Nats, WorkersOfALineGetItsJobsAndNoOthers) {
  const auto queue = coordinator();
  const auto compiles = worker("NVRTC_13_0_88"), gates = worker();
  queue->clear("run");
  EXPECT_FALSE(compiles->take_job(100ms)) << "no run has such jobs yet";
  queue->put_job({"run", "a", "NVRTC_13_0_88"}, "a", "a compile");
  queue->put_job({"run", "b"}, "b", "a job of the virtual device");
  // An answer of the server from before there was such a line may come first.
  const auto taken = [](farm::Queue& from) {
    auto job = from.take_job(2000ms);
    for (int tries = 0; !job && tries < 20; ++tries) job = from.take_job(2000ms);
    return job;
  };
  const auto compile = taken(*compiles), gate = taken(*gates);
  ASSERT_TRUE(compile && gate);
  EXPECT_EQ(compile->bytes, "a compile");
  EXPECT_EQ(gate->bytes, "a job of the virtual device");
  EXPECT_FALSE(compiles->take_job(100ms));
  EXPECT_EQ(queue->jobs_of("run", "NVRTC_13_0_88"), std::set<std::string>{"a"});
  EXPECT_EQ(queue->jobs_of("run", "virtual"), std::set<std::string>{"b"});
  const auto status = nats::status_of(queue->jetstream());
  EXPECT_EQ(status.at("jobs").as_object().at("lent").as_int64(), 2);
  EXPECT_EQ(status.at("lines").as_object().at("virtual").as_object().at("lent").as_int64(), 1);
  queue->clear("run");
  EXPECT_TRUE(queue->jobs_of("run", "NVRTC_13_0_88").empty());
  EXPECT_TRUE(queue->jobs_of("run", "virtual").empty());
}

/// A worker's key, and a run's: the pair of NATS' own documentation, and one made for this test.
constexpr const char* worker_key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
constexpr const char* worker_seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr const char* run_key = "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK";
constexpr const char* run_seed = "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y";

std::string private_file(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return file.string();
}

TEST_F(Nats, NKeysLetWorkersAndRunsInAndNobodyElse) {
  child_.reset();
  nats::ServerOptions options;
  options.port = free_port();
  options.folder = folder_;
  options.worker_nkeys = {worker_key};
  options.run_nkey = run_key;
  server_ = nats::prepare_server(options);
  EXPECT_TRUE(server_.worker_token.empty());
  start();
  const std::string of_worker =
      private_file(folder_ / "w", std::string(worker_seed) + "\n" + worker_key + "\n");
  const std::string of_run = private_file(folder_ / "r", std::string(run_seed) + "\n" + run_key + "\n");
  const std::string wrong = private_file(folder_ / "x", std::string(worker_seed) + "\n" + run_key + "\n");
  const auto access = [&](const std::string& file) {
    nats::Access made = nats::access_of(server_.url, file, "");
    made.wait = 60s;
    return made;
  };
  const auto queue = nats::NatsQueue::of_coordinator(access(of_run), patient());
  queue->clear("run");
  queue->put_job({"run", "a"}, "a", "a job");
  const auto mine = nats::NatsQueue::of_worker(access(of_worker), patient());
  auto job = mine->take_job(2000ms);
  for (int tries = 0; !job && tries < 20; ++tries) job = mine->take_job(2000ms);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->bytes, "a job");
  EXPECT_THROW(nats::Connection{access("")}, model::Exception) << "no key";
  EXPECT_THROW(nats::Connection{access(wrong)}, model::Exception) << "a seed that is not the key's";
  const std::string half = private_file(folder_ / "h", std::string(worker_seed) + "\n");
  EXPECT_THROW(static_cast<void>(access(half)), model::Exception) << "a seed without its public key";
}

// Whoever may send results or code does not fill the disk of the server.
TEST_F(Nats, WhatMaySendTakesABoundedPartOfTheDisk) {
  const auto queue = coordinator();
  queue->clear("run");
  for (const char* stream : {"EVO_RESULTS", "EVO_CODE"}) {
    const auto info = queue->jetstream().api(std::string("STREAM.INFO.") + stream);
    ASSERT_TRUE(info) << stream;
    const auto& config = info->at("config").as_object();
    EXPECT_GT(config.at("max_bytes").as_int64(), 0) << stream;
    EXPECT_LE(config.at("max_bytes").as_int64(), std::int64_t{1} << 30) << stream;
    EXPECT_EQ(config.at("discard").as_string(), "old") << stream << ": the others go on";
  }
}

TEST_F(Nats, CodeIsReadByItsHashAlone) {
  child_.reset();
  nats::ServerOptions options;
  options.port = free_port();
  options.folder = folder_;
  options.tokens = true;
  server_ = nats::prepare_server(options);
  start();
  const auto access = [&](const fs::path& token) {
    nats::Access made = nats::access_of(server_.url, token.string(), "");
    made.wait = 60s;
    return made;
  };
  const auto queue = nats::NatsQueue::of_coordinator(access(server_.run_token), patient());
  const auto mine = nats::NatsQueue::of_worker(access(server_.worker_token), patient());
  const std::string hash(64, 'a'), bytes = std::string(100000, '\0') + "end";
  EXPECT_FALSE(mine->code(hash));
  queue->put_code(hash, "old");
  queue->put_code(hash, bytes);
  EXPECT_EQ(mine->code(hash), bytes);
  EXPECT_EQ(queue->code(hash), bytes);
  EXPECT_FALSE(mine->code("*"));
  EXPECT_FALSE(mine->code(std::string(64, 'b')));
  // Neither by number nor by list, and it writes nothing: the server answers none of these.
  nats::Connection& worker_end = mine->jetstream().connection();
  for (const auto& [subject, body] :
       std::map<std::string, std::string>{{"$JS.API.DIRECT.GET.EVO_CODE", R"({"seq": 1})"},
                                          {"$JS.API.STREAM.MSG.GET.EVO_CODE", R"({"seq": 1})"},
                                          {"$JS.API.STREAM.INFO.EVO_CODE", R"({"subjects_filter": ">"})"},
                                          {"evo.code." + std::string(64, 'c'), "mine"}})
    EXPECT_FALSE(worker_end.request(subject, body, 300ms)) << subject;
  EXPECT_FALSE(queue->code(std::string(64, 'c')));
}

TEST(NKey, OfAUserIsTold) {
  EXPECT_TRUE(nats::is_user_nkey(worker_key));
  for (const std::string text : {"", worker_seed, "U", "AAAA"})
    EXPECT_FALSE(nats::is_user_nkey(text)) << text;
  nats::ServerOptions options;
  options.folder = fs::temp_directory_path() / "evo-nkey-none";
  options.run_nkey = worker_key;
  EXPECT_THROW(static_cast<void>(nats::prepare_server(options)), model::Exception) << "workers have none";
  options.worker_nkeys = {worker_key};
  EXPECT_THROW(static_cast<void>(nats::prepare_server(options)), model::Exception) << "both the same";
  options.worker_nkeys = {run_key, std::string("U") + "\"" + std::string(54, 'A')};
  EXPECT_THROW(static_cast<void>(nats::prepare_server(options)), model::Exception) << "no base32";
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

TEST(Sign, SaysOfEachLineHowManyJobsAWorkerDoesAtATime) {
  const std::string subject = "evo.presence.worker.w";
  const auto threads = [&](const std::string& text) { return nats::sign_of(subject, text).value().threads; };
  using Lines = std::map<std::string, int>;
  EXPECT_EQ(threads(R"({"threads":3})"), (Lines{{"virtual", 3}}));
  EXPECT_EQ(threads(R"({"threads":3,"lines":{"virtual":3,"NVRTC_13":2}})"),
            (Lines{{"virtual", 3}, {"NVRTC_13", 2}}));
  EXPECT_EQ(threads(R"({"lines":{"a.b":3,">":2,"x":1e300,"y":-5}})"), (Lines{{"x", 0}, {"y", 0}}));
  std::string many = R"({"lines":{"l0":1)";
  for (int i = 1; i < 100; ++i) many += ",\"l" + std::to_string(i) + "\":1";
  EXPECT_EQ(threads(many + "}}").size(), 16u);
}

TEST_F(Nats, AWorkerIsSeenBeforeTheFirstRun) {
  const auto other = worker();
  const nats::Presence presence(other->jetstream().connection(), nats::Party::worker, "w", [] {
    return boost::json::object{{"threads", 3}};
  });
  nats::Access access = nats::access_of(server_.url, "", "");
  access.inbox = "_EVO_RUN";
  nats::Jetstream looker(access, patient());
  nats::wait_for_first_signs(looker);
  EXPECT_EQ(nats::status_of(looker).at("workers").as_array().size(), 1u);
}

// Else a run would send jobs to nobody until its sign has aged.
TEST_F(Nats, WhoLeavesIsGoneAtOnce) {
  const auto queue = coordinator();
  const auto other = worker();
  const auto threads = [&](int wanted) {
    for (int looks = 0; looks < 40; ++looks) {
      if (queue->crowd("run").threads_of("virtual") == wanted &&
          nats::status_of(queue->jetstream()).at("workers").as_array().size() == (wanted > 0 ? 1u : 0u))
        return true;
      std::this_thread::sleep_for(100ms);
    }
    return false;
  };
  {
    const nats::Presence presence(other->jetstream().connection(), nats::Party::worker, "w", [] {
      return boost::json::object{{"threads", 3}};
    });
    EXPECT_TRUE(threads(3));
  }
  EXPECT_TRUE(threads(0)) << "its last sign is kept for 15 s";
  EXPECT_EQ(queue->crowd("run").threads_of("virtual"), 0);
  const auto later = made(nats::NatsQueue::of_coordinator);
  EXPECT_EQ(later->crowd("another").threads_of("virtual"), 0) << "who comes later hears nothing else";
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
      if (crowd.threads_of("virtual") == 3 && crowd.others == 1 &&
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
