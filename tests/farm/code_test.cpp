// Code that travels apart from the jobs that name it.
#include <future>

#include "model/hash.hpp"
#include "tests/farm/memory_queue.hpp"

namespace evo::test {
namespace {

DeviceJob job_with(std::uint64_t seed, std::size_t bytes) {
  DeviceJob job = job_of(seed);
  job.artifact.ptx = std::string(bytes, 'p');
  job.artifact.cubin = std::string(bytes, '\0') + "\xff";  // is no text
  return job;
}

TEST_F(Farm, TheCodeOfAJobTravelsOnce) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto result = std::async(std::launch::async, [&] { return runner_.run(job_with(seed, 50000)); });
    EXPECT_EQ(serve().how, farm::Served::answered);
    EXPECT_EQ(result.get().device_seconds, static_cast<double>(seed));
  }
  EXPECT_EQ(queue_.code_puts, 2) << "PTX and cubin, of five jobs";
  EXPECT_EQ(queue_.code_reads, 2) << "and a worker keeps them";
  EXPECT_EQ(runner_.counts().code, 2u);
  ASSERT_EQ(seeds_.ran.size(), 5u);
  for (const model::Artifact& artifact : seeds_.ran) {
    EXPECT_EQ(artifact.ptx, job_with(0, 50000).artifact.ptx);
    EXPECT_EQ(artifact.cubin, job_with(0, 50000).artifact.cubin);
  }
}

TEST_F(Farm, ShortCodeTravelsWithItsJob) {
  auto result = std::async(std::launch::async, [&] { return runner_.run(job_with(1, 10)); });
  EXPECT_EQ(serve().how, farm::Served::answered);
  static_cast<void>(result.get());
  EXPECT_EQ(queue_.code_puts, 0);
  EXPECT_EQ(seeds_.ran.at(0).ptx, job_with(1, 10).artifact.ptx);
}

TEST_F(Farm, CodeThatTheFarmHasLostIsPutAgain) {
  auto first = std::async(std::launch::async, [&] { return runner_.run(job_with(1, 50000)); });
  EXPECT_EQ(serve().how, farm::Served::answered);
  static_cast<void>(first.get());
  queue_.forget_code();
  farm::CodeCache of_another;
  auto second = std::async(std::launch::async, [&] { return runner_.run(job_with(2, 50000)); });
  const auto by_another = [&] {
    return farm::serve_job(
        queue_,
        [this](const farm::JobMessage& job, const farm::FindCode& code) {
          return perform(seeds_, job, code);
        },
        {.name = "w2", .build = build, .heartbeat = 1s, .code = &of_another}, 1000ms);
  };
  EXPECT_EQ(by_another().how, farm::Served::no_code);
  EXPECT_EQ(by_another().how, farm::Served::answered);
  EXPECT_EQ(second.get().device_seconds, 2);
  EXPECT_EQ(runner_.counts().code_missing, 1u);
  EXPECT_EQ(runner_.counts().failed, 0u) << "no worker is to blame";
}

/// What the farm keeps is not to be had, twice: the job is done by who asked, or it ends the run.
TEST_F(Farm, CodeThatIsNotToBeHadEndsTheJobNotTheVerdict) {
  queue_.loses_code = true;
  auto result = std::async(std::launch::async, [&] { return runner_.run(job_with(1, 50000)); });
  EXPECT_EQ(serve().how, farm::Served::no_code);
  EXPECT_EQ(serve().how, farm::Served::no_code);
  EXPECT_THROW(static_cast<void>(result.get()), model::Exception);
}

/// Its ways to the server and back are no part of a turn.
TEST_F(Farm, CodeIsFetchedWhileAnotherJobHasTheTurn) {
  farm::TicketLock turn;
  std::unique_lock another(turn);
  auto result = std::async(std::launch::async, [&] { return runner_.run(job_with(1, 50000)); });
  auto served = std::async(std::launch::async, [&] {
    return farm::serve_job(
        queue_,
        [this](const farm::JobMessage& job, const farm::FindCode& code) {
          return perform(seeds_, job, code);
        },
        {.name = "w", .build = build, .heartbeat = 1s, .turn = &turn, .code = &code_}, 1000ms);
  });
  until([&] { return code_.bytes() > 0; });
  EXPECT_TRUE(seeds_.ran.empty());
  another.unlock();
  EXPECT_EQ(served.get().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 1);
  EXPECT_EQ(queue_.code_reads, queue_.code_puts) << "once each";
}

TEST(FarmTurn, ItIsHadInTheOrderOfAsking) {
  farm::TicketLock turn;
  EXPECT_FALSE(turn.taken_within(1ms));
  std::vector<int> order;
  std::vector<std::jthread> threads;
  turn.lock();
  EXPECT_EQ(turn.taken_within(0ms), 0u);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::scoped_lock lock(turn);
      order.push_back(i);
    });
    std::this_thread::sleep_for(50ms);
  }
  turn.unlock();
  threads.clear();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
  EXPECT_FALSE(turn.taken_within(1ms));
}

TEST_F(Farm, AnotherCodeUnderAHashIsNotRun) {
  queue_.lies_about_code = true;
  farm::FarmRunnerOptions options = workers();
  auto local = std::make_shared<SeedRunner>();
  options.local = local;
  Coordinator runner({"run-2"}, options, queue_);
  auto result = std::async(std::launch::async, [&] { return runner.run(job_with(3, 50000)); });
  EXPECT_EQ(serve().how, farm::Served::no_code);
  EXPECT_EQ(serve().how, farm::Served::no_code);
  EXPECT_EQ(result.get().device_seconds, 3) << "it is run here";
  EXPECT_TRUE(seeds_.ran.empty());
  EXPECT_EQ(local->ran.at(0).ptx, job_with(3, 50000).artifact.ptx);
}

TEST(FarmCode, IsNamedByWhatItIs) {
  DeviceJob job = job_with(1, 50000);
  job.opponent.emplace();
  job.opponent->artifact.ptx = std::string(5000, 'o');
  const DeviceJob whole = job;
  const auto taken = farm::take_code_out(job);
  ASSERT_EQ(taken.size(), 3u);
  std::map<std::string, std::string> store;
  for (const farm::Code& code : taken) {
    EXPECT_EQ(code.hash, model::sha256(code.bytes));
    store[code.hash] = code.bytes;
  }
  EXPECT_LT(evaluators::gates::to_json(job).size(), 10000u);
  farm::put_code_back(job, [&](const std::string& hash) { return std::optional(store.at(hash)); });
  EXPECT_EQ(job.artifact.ptx, whole.artifact.ptx);
  EXPECT_EQ(job.artifact.cubin, whole.artifact.cubin);
  EXPECT_EQ(job.opponent->artifact.ptx, whole.opponent->artifact.ptx);
}

TEST(FarmCode, TheCacheKeepsToItsBounds) {
  farm::CodeCache cache(10000);
  int fetched = 0;
  const auto get = [&](char letter) {
    const std::string bytes(3000, letter);
    return cache.find(model::sha256(bytes), [&](const std::string&) {
      ++fetched;
      return std::optional(bytes);
    });
  };
  for (const char letter : {'a', 'b', 'c', 'a', 'd', 'a'}) EXPECT_EQ(get(letter), std::string(3000, letter));
  EXPECT_EQ(fetched, 4);
  EXPECT_LE(cache.bytes(), 10000u);
  EXPECT_EQ(get('b'), std::string(3000, 'b'));
  EXPECT_EQ(fetched, 5) << "what was used longest ago has gone";
}

}  // namespace
}  // namespace evo::test
