// Coordinator and workers over a queue in memory: what comes back, what is refused, what a lost worker
// leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <boost/json/object.hpp>
#include "farm/gpu.hpp"
#include "farm/runner.hpp"
#include "farm/worker.hpp"
#include "model/error.hpp"
#include "tests/farm/memory_queue.hpp"

namespace evo::test {
namespace {

TEST_F(Farm, EveryJobGetsItsOwnResultWhoeverAnswers) {
  std::vector<std::future<DeviceResult>> results;
  for (std::uint64_t seed = 0; seed < 24; ++seed)
    results.push_back(std::async(std::launch::async, [this, seed] { return runner_.run(job_of(seed)); }));
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([this] {
      for (int served = 0; served < 6; ++served) EXPECT_EQ(serve().how, farm::Served::answered);
    });
  for (std::uint64_t seed = 0; seed < 24; ++seed)
    EXPECT_EQ(results[seed].get().device_seconds, static_cast<double>(seed));
  workers.clear();
  EXPECT_EQ(queue_.left(), 0u);
}

TEST_F(Farm, AJobOfALostWorkerGoesToAnother) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  const auto lost = queue_.take_job(1000ms);
  ASSERT_TRUE(lost);
  queue_.give_back(lost->lease);  // its lease ended
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
}

TEST_F(Farm, RefusesAndCountsResultsThatAreNotTheHolders) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  const auto held = queue_.take_job(1000ms);
  ASSERT_TRUE(held);
  const auto job = farm::job_from(held->bytes);
  ASSERT_TRUE(job);
  DeviceResult lie;
  lie.gates.push_back({model::Gate::correctness, std::nullopt, 0});
  lie.device_seconds = 666;
  const std::string body = evaluators::gates::to_json(lie);
  queue_.put_result("run-1", "{malformed");
  queue_.put_result("run-1", farm::encode(farm::ResultMessage{"run-1", job->id, job->nonce, "w", "", "{}x"}));
  const std::string no_gate = evaluators::gates::to_json(DeviceResult{});
  queue_.put_result("run-1",
                    farm::encode(farm::ResultMessage{"run-1", job->id, job->nonce, "w", "", no_gate}));
  queue_.put_result("run-1", farm::encode(farm::ResultMessage{"run-2", job->id, job->nonce, "w", "", body}));
  queue_.put_result("run-1", farm::encode(farm::ResultMessage{"run-1", "other", job->nonce, "w", "", body}));
  queue_.put_result("run-1", farm::encode(farm::ResultMessage{"run-1", job->id, "guess", "w", "", body}));
  until([this] { return runner_.counts().forged == 1; });
  EXPECT_EQ(runner_.counts().malformed, 3u);
  EXPECT_EQ(runner_.counts().other_run, 1u);
  EXPECT_EQ(runner_.counts().not_waited, 1u);
  queue_.give_back(held->lease);
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
  // Its holder once more: a replay.
  queue_.put_result("run-1", farm::encode(farm::ResultMessage{"run-1", job->id, job->nonce, "w", "", body}));
  until([this] { return runner_.counts().not_waited == 2; });
}

TEST_F(Farm, AJobIsAnsweredOnce) {
  constexpr int copies = 64;
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  const auto held = queue_.take_job(1000ms);
  ASSERT_TRUE(held);
  const auto job = farm::job_from(held->bytes);
  ASSERT_TRUE(job);
  DeviceResult answer;
  answer.gates.push_back({model::Gate::correctness, std::nullopt, 0});
  // Most of them come before the one who asked has woken up.
  for (int i = 0; i < copies; ++i) {
    answer.device_seconds = i;
    const std::string body = evaluators::gates::to_json(answer);
    queue_.put_result("run-1",
                      farm::encode(farm::ResultMessage{"run-1", job->id, job->nonce, "w", "", body}));
  }
  static_cast<void>(result.get());
  until([this] { return runner_.counts().answered + runner_.counts().not_waited == copies; });
  EXPECT_EQ(runner_.counts().answered, 1u);
}

TEST_F(Farm, TellsWhatItRefusesAndLetsNoStrangerSteerATerminal) {
  std::mutex mutex;
  std::vector<std::string> told;
  farm::CallsOptions options{"run-2"};
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    told.push_back(line);
  };
  Coordinator runner(options, workers(), queue_);
  const std::string nasty = "\x1b]0;owned\x07" + std::string(1000, 'x');
  queue_.put_result("run-2", farm::encode(farm::ResultMessage{nasty, "id", "nonce", "w", "", "{}"}));
  queue_.put_result("run-2", farm::encode(farm::ResultMessage{"run-2", nasty, "nonce", "w", "", "{}"}));
  const auto lines = [&] {
    const std::scoped_lock lock(mutex);
    return told;
  };
  until([&] { return lines().size() == 2; });
  for (const std::string& line : lines()) {
    EXPECT_NE(line.find("]0;owned?x"), std::string::npos) << line;
    EXPECT_LT(line.size(), 500u);
    EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7f; })) << line;
  }
  for (int i = 0; i < 1000; ++i) queue_.put_result("run-2", "{" + std::to_string(i));
  until([&] { return runner.counts().refused() == 1002; });
  EXPECT_LT(lines().size(), 40u) << "a flood of rubbish is no flood of lines";
}

TEST_F(Farm, AResultThatTheQueueLendsAgainIsNoAttack) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
  queue_.lend_results_again("run-1");
  until([this] { return runner_.counts().repeated == 1; });
  EXPECT_EQ(runner_.counts().refused(), 0u);
}

/// Asks for so many jobs, from as many threads.
std::vector<std::jthread> ask_for(Coordinator& runner, int jobs) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < jobs; ++i)
    threads.emplace_back([&runner, i] { static_cast<void>(runner.run(job_of(static_cast<unsigned>(i)))); });
  return threads;
}

TEST_F(Farm, ARunHasItsShareHoweverMuchAnotherAsksFor) {
  queue_.there = {{{"virtual", 1}}, 1};
  Coordinator greedy({"greedy"}, workers(), queue_);
  Coordinator modest({"modest"}, workers(), queue_);
  const auto many = ask_for(greedy, 24);
  until([&] { return queue_.left_of("greedy") == 1; });
  const auto few = ask_for(modest, 6);
  int of_modest = 0;
  for (int served = 0; served < 12; ++served) {
    until([&] { return queue_.left_of("greedy") == 1 && (of_modest == 6 || queue_.left_of("modest") == 1); });
    of_modest += serve().run == "modest" ? 1 : 0;
  }
  EXPECT_EQ(of_modest, 6);
  for (int served = 0; served < 18; ++served) static_cast<void>(serve());
}

/// A GPU of the run's own.
class OwnGpu final : public evaluators::gates::JobRunner {
 public:
  DeviceResult run(const DeviceJob&) override {
    ++ran;
    DeviceResult result;
    result.gates.push_back({model::Gate::latency, std::nullopt, 0});
    return result;
  }
  evaluators::devices::DeviceInfo info() const override { return {"cuda", "gpu", "sm_90", "1", "uuid"}; }
  std::atomic<int> ran{0};
};

TEST_F(Farm, AComparisonGoesWhereNoOtherJobWaitsBeforeIt) {
  const auto own = std::make_shared<OwnGpu>();
  farm::FarmRunnerOptions options{{"0.2.0", "nvrtc", "gpu"}, own->info()};
  options.local = own;
  options.patient = false;
  queue_.there = {{{"gpu", 4}, {farm::comparisons_line_of("gpu"), 1}}, 0};
  Coordinator runner({"run-2"}, options, queue_);
  EXPECT_EQ(runner.runner.comparisons(), 1);
  DeviceJob comparison = job_of(7);
  comparison.opponent.emplace();
  auto first = std::async(std::launch::async, [&] { return runner.run(comparison); });
  until([this] { return queue_.left() == 1; });
  EXPECT_EQ(queue_.jobs_of("run-2", farm::comparisons_line_of("gpu")).size(), 1u);
  EXPECT_TRUE(queue_.jobs_of("run-2", "gpu").empty());
  // The only GPU for comparisons has one: another one begins here, and does not wait for it.
  comparison.input_seed = 8;
  static_cast<void>(runner.run(comparison));
  EXPECT_EQ(own->ran, 1);
  EXPECT_EQ(serve({"0.2.0", "nvrtc", "gpu"}).how, farm::Served::answered);
  EXPECT_EQ(first.get().device_seconds, 7);
  runner.runner.stay_here();
  EXPECT_EQ(runner.runner.comparisons(), 0);
}

TEST_F(Farm, WhereNobodyHereCanDoAJobWorkersAreAskedAgain) {
  farm::FarmRunnerOptions options = workers();
  options.asks_again = 1;
  Coordinator runner({"run-2"}, options, queue_);
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  const auto held = queue_.take_job(1000ms);
  ASSERT_TRUE(held);
  const auto job = farm::job_from(held->bytes);
  ASSERT_TRUE(job);
  queue_.put_result("run-2",
                    farm::encode(farm::ResultMessage{"run-2", job->id, job->nonce, "w", "no memory", ""}));
  queue_.done(held->lease);
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
}

TEST(FarmGpus, WhatAWorkerSaysOfThemIsReadAndBounded) {
  farm::Gpu gpu;
  gpu.info = {"cuda", "NVIDIA L4", "sm_89", "580.1", ""};
  gpu.info.l2_bytes = 48 << 20;
  gpu.build = {"0.2.0", "g++ 12.2", "NVIDIA L4"};
  gpu.threads = 8;
  const auto same = farm::gpu_from(farm::to_json(gpu));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->build, gpu.build);
  EXPECT_EQ(same->info.driver, "580.1");
  EXPECT_EQ(same->info.l2_bytes, 48 << 20);
  EXPECT_EQ(same->threads, 8);
  boost::json::object loud = farm::to_json(gpu);
  loud["threads"] = 1'000'000;
  const std::string name = "\n" + std::string(1000, 'x');
  loud["name"] = name;
  const auto bounded = farm::gpu_from(loud);
  ASSERT_TRUE(bounded);
  EXPECT_EQ(bounded->threads, 256);
  EXPECT_EQ(bounded->info.name, farm::said(name));
  EXPECT_LT(bounded->info.name.size(), 400u);
  loud["arch"] = "sm_99999999999999999999";
  EXPECT_FALSE(farm::gpu_from(loud));
  EXPECT_FALSE(farm::gpu_from("a text"));
  EXPECT_FALSE(farm::gpu_from(boost::json::object{}));
}

TEST_F(Farm, AWorkerOfAnotherBuildLeavesTheJobToOthers) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  const farm::ServedJob other = serve({"0.3.0", "nvrtc", "virtual"});
  EXPECT_EQ(other.how, farm::Served::refused);
  EXPECT_FALSE(other.why.empty());
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
}

TEST_F(Farm, ABrokenEnvironmentIsNoVerdict) {
  DeviceJob job = job_of(1);
  job.oracle = "broken";
  auto result = std::async(std::launch::async, [&] { return runner_.run(job); });
  EXPECT_EQ(serve().how, farm::Served::failed);
  EXPECT_THROW(static_cast<void>(result.get()), model::Exception);
}

TEST_F(Farm, WhatIsNoJobIsTakenOffTheQueue) {
  queue_.put_job({"run-1", "x"}, "x", "{no job");
  EXPECT_EQ(serve().how, farm::Served::malformed);
  EXPECT_EQ(queue_.left(), 0u);
}

TEST_F(Farm, AJobThatTheQueueLostIsPutAgain) {
  farm::CallsOptions options{"run-2"};
  options.look = 10ms;
  Coordinator runner(options, workers(), queue_);
  queue_.loses_jobs = true;
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.puts > 0; });
  queue_.loses_jobs = false;
  bool answered = false;
  until([&] { return answered = answered || serve().how == farm::Served::answered; });
  EXPECT_EQ(result.get().device_seconds, 7);
  EXPECT_GE(runner.counts().put_again, 1u);
}

TEST_F(Farm, AJobWhoseResultMayWaitToBeTakenIsNotPutAgain) {
  farm::CallsOptions options{"run-2"};
  options.look = 5ms;
  Coordinator runner(options, workers(), queue_);
  queue_.flood = true;
  queue_.loses_jobs = true;
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.puts > 0; });
  until([&] { return runner.counts().malformed > 100; });
  EXPECT_EQ(runner.counts().put_again, 0u);
  queue_.flood = false;
  queue_.loses_jobs = false;
  until([&] { return runner.counts().put_again > 0; });
  bool answered = false;
  until([&] { return answered = answered || serve().how == farm::Served::answered; });
  EXPECT_EQ(result.get().device_seconds, 7);
}

TEST_F(Farm, AJobThatNobodyWaitsForIsTakenOffTheQueue) {
  farm::CallsOptions options{"run-2"};
  options.look = 5ms;
  Coordinator runner(options, workers(), queue_);
  queue_.put_job({"run-2", "answered-before"}, "once", "bytes");
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.forgotten == 1 && queue_.puts == 2; });
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
  EXPECT_EQ(queue_.forgotten, 1);
}

TEST_F(Farm, AJobThatTakesItsWorkersDownIsNotTriedForEver) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  for (int i = 0; i < 5; ++i) {
    const auto lost = queue_.take_job(1000ms);
    ASSERT_TRUE(lost);
    queue_.give_back(lost->lease);
  }
  const farm::ServedJob sixth = serve();
  EXPECT_EQ(sixth.how, farm::Served::failed);
  EXPECT_NE(sixth.why.find("6 times"), std::string::npos) << sixth.why;
  EXPECT_THROW(static_cast<void>(result.get()), model::Exception);
  EXPECT_EQ(queue_.left(), 0u);
}

TEST_F(Farm, ARunThatWaitsForAWorkerSaysSo) {
  queue_.leave_all();
  farm::CallsOptions options{"run-2"};
  options.look = 5ms;
  std::mutex mutex;
  std::vector<std::string> said;
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    said.push_back(line);
  };
  const auto lines = [&] {
    const std::scoped_lock lock(mutex);
    return said.size();
  };
  Coordinator alone(options, workers(), queue_);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(lines(), 0u) << "nobody waits";
  auto result = std::async(std::launch::async, [&] { return alone.run(job_of(1)); });
  until([&] { return lines() == 1; });
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(lines(), 1u) << "once";
  queue_.set_there({{{"virtual", 1}}, 0});
  until([&] { return lines() == 2; });
  EXPECT_EQ(serve().how, farm::Served::answered);
  static_cast<void>(result.get());
}

TEST_F(Farm, AResultCostsItsWorkersPriceForAsLongAsItWasWaitedFor) {
  auto result = std::async(std::launch::async, [this] { return runner_.run(job_of(7)); });
  const auto held = queue_.take_job(1000ms);
  ASSERT_TRUE(held);
  const auto job = farm::job_from(held->bytes);
  ASSERT_TRUE(job);
  DeviceResult correct;
  correct.gates.push_back({model::Gate::correctness, std::nullopt, 0});
  std::this_thread::sleep_for(20ms);
  farm::ResultMessage answer{"run-1", job->id, job->nonce, "w", "", evaluators::gates::to_json(correct)};
  answer.price = 3600;     // a second costs 1
  answer.seconds = 90000;  // it was not waited for that long
  queue_.put_result("run-1", farm::encode(answer));
  const DeviceResult got = result.get();
  EXPECT_EQ(got.worker, "w");
  EXPECT_EQ(got.worker_device, "virtual");
  EXPECT_TRUE(got.priced);
  EXPECT_GE(runner_.counts().cost, 0.02);
  EXPECT_LT(runner_.counts().cost, 60);
}

}  // namespace
}  // namespace evo::test
