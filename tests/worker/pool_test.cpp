// The pool against a worker with scripted misbehaviour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "evaluators/worker/pool.hpp"
#include "evaluators/worker/protocol.hpp"
#include "model/error.hpp"

namespace evo::test {
namespace {

using namespace std::chrono_literals;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;
using evaluators::worker::DeviceWorkerPool;
using evaluators::worker::DeviceWorkerPoolOptions;
using model::Status;
using testing::HasSubstr;

DeviceJob job(const std::string& behaviour) {
  DeviceJob made;
  made.oracle = behaviour;
  made.settings.launch_timeout_ms = 100;
  return made;
}

class Pool : public testing::Test {
 protected:
  Pool() : log_(std::filesystem::temp_directory_path() / ("evo-pool-" + std::to_string(::getpid()))) {
    std::filesystem::remove(log_);
  }
  ~Pool() override { std::filesystem::remove(log_); }

  [[nodiscard]] DeviceWorkerPoolOptions options(const std::string& start = "good", int gpus = 1) const {
    DeviceWorkerPoolOptions made;
    for (int i = 0; i < gpus; ++i) made.commands.push_back({EVO_FAKE_WORKER, start, log_.string()});
    made.hello_timeout = 10s;
    made.silence_limit = 500ms;
    return made;
  }
  [[nodiscard]] int lines(const std::string& wanted) const {
    std::ifstream in(log_);
    int count = 0;
    for (std::string line; std::getline(in, line);) count += line == wanted ? 1 : 0;
    return count;
  }
  static void expect_good(DeviceWorkerPool& pool) {
    const DeviceResult result = pool.run(job("good"));
    ASSERT_EQ(result.gates.size(), 1u);
    EXPECT_TRUE(result.gates[0].pass());
  }
  /// Runs `behaviour`, checks that it fails as told, that it was not tried again, and that the next job is
  /// well.
  model::Failure expect_failure(const std::string& behaviour, Status status, const std::string& reason) {
    DeviceWorkerPool pool(options());
    expect_good(pool);
    const DeviceResult result = pool.run(job(behaviour));
    EXPECT_EQ(result.gates.size(), 1u);
    const model::GateResult& gate = result.gates.at(0);
    EXPECT_EQ(gate.gate, model::Gate::correctness);
    EXPECT_FALSE(gate.pass());
    EXPECT_EQ(gate.failure->status, status);
    EXPECT_EQ(gate.failure->reason, reason);
    EXPECT_GT(result.device_seconds, 0.0);
    expect_good(pool);
    EXPECT_EQ(lines("job " + behaviour), 1);
    return *gate.failure;
  }

  std::filesystem::path log_;
};

TEST_F(Pool, TellsTheDeviceOfTheWorker) {
  DeviceWorkerPool pool(options());
  EXPECT_EQ(pool.info().name, "Fake good");
  EXPECT_EQ(pool.info().arch, "sm_90");
  EXPECT_EQ(pool.devices().size(), 1u);
  expect_good(pool);
}

TEST_F(Pool, ACrashIsThatJobsFaultWithSignalAndLastWords) {
  const model::Failure failure = expect_failure("crash", Status::device_fault, "worker_crash");
  ASSERT_EQ(failure.evidence.size(), 1u);
  EXPECT_THAT(failure.evidence[0].message, HasSubstr("signal 11"));
  EXPECT_THAT(failure.evidence[0].message, HasSubstr("boom: the driver fell over"));
  EXPECT_THAT(failure.evidence[0].details, testing::Contains(testing::Pair("signal", "11")));
}

TEST_F(Pool, AnEndWithoutAnAnswerIsACrash) {
  const model::Failure failure = expect_failure("exit", Status::device_fault, "worker_crash");
  EXPECT_THAT(failure.evidence.at(0).details, testing::Contains(testing::Pair("exit_code", "9")));
}

TEST_F(Pool, SilenceIsAHang) {
  const model::Failure failure = expect_failure("hang", Status::timeout, "hang");
  EXPECT_THAT(failure.evidence.at(0).message, HasSubstr("no sign of life for 600 ms"));
}

TEST_F(Pool, AWorkerThatTakesTooMuchMemoryIsEnded) {
  DeviceWorkerPoolOptions limited = options();
  limited.memory_limit = std::int64_t{200} << 20;
  limited.silence_limit = 30s;
  DeviceWorkerPool pool(std::move(limited));
  expect_good(pool);
  const DeviceResult result = pool.run(job("swell"));
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::device_fault);
  EXPECT_EQ(result.gates[0].failure->reason, "worker_memory");
  EXPECT_THAT(result.gates[0].failure->evidence.at(0).message, HasSubstr("200 are allowed"));
  expect_good(pool);
  EXPECT_EQ(lines("job swell"), 1);
}

TEST_F(Pool, GarbageEndsTheWorker) {
  EXPECT_THAT(expect_failure("garbage", Status::device_fault, "worker_crash").evidence.at(0).message,
              HasSubstr("garbage"));
}
TEST_F(Pool, AMalformedResultEndsTheWorker) {
  EXPECT_THAT(expect_failure("malformed", Status::device_fault, "worker_crash").evidence.at(0).message,
              HasSubstr("malformed result"));
}
TEST_F(Pool, AMessageThatIsNoAnswerEndsTheWorker) {
  static_cast<void>(expect_failure("hello_again", Status::device_fault, "worker_crash"));
}

TEST_F(Pool, SignsOfLifeKeepASlowJobAlive) {
  DeviceWorkerPool pool(options());
  EXPECT_TRUE(pool.run(job("alive")).gates.at(0).pass());  // 1.2 s under a limit of 0.6 s of silence
}

TEST_F(Pool, ALostDevicesAnswerCountsAndItsWorkerIsReplaced) {
  std::vector<std::string> told;
  DeviceWorkerPoolOptions chosen = options();
  chosen.log = [&told](const std::string& line) { told.push_back(line); };
  DeviceWorkerPool pool(std::move(chosen));
  const double first = pool.run(job("good")).device_seconds;
  EXPECT_EQ(pool.run(job("good")).device_seconds, first) << "a healthy worker is kept";
  const DeviceResult last = pool.run(job("lost"));
  EXPECT_TRUE(last.gates.at(0).pass());
  EXPECT_EQ(last.device_seconds, first);
  EXPECT_NE(pool.run(job("good")).device_seconds, first);
  EXPECT_THAT(told, testing::ElementsAre(HasSubstr("warm spare")));
}

// The pool has one worker, and it is busy while the others ask.
TEST_F(Pool, AnIdleGpuTakesAComparisonAndABusyOneNothing) {
  DeviceWorkerPoolOptions two = options("good", 2);
  two.idle_after = 0ms;
  DeviceWorkerPool pool(std::move(two));
  DeviceJob comparison = job("good");
  comparison.opponent.emplace();
  EXPECT_TRUE(pool.run_if_idle(comparison).has_value());
  EXPECT_TRUE(pool.run_if_idle(job("good")).has_value()) << "another worker of the GPU can go on beside it";
  std::atomic<bool> ended = false;
  std::jthread busy([&] {
    static_cast<void>(pool.run(job("brief")));
    ended = true;
  });
  while (lines("job brief") == 0) std::this_thread::sleep_for(1ms);
  const bool taken = pool.run_if_idle(comparison).has_value();
  EXPECT_TRUE(!taken || ended) << "one of its two workers has a job";
  busy.join();
  EXPECT_TRUE(pool.run_if_idle(comparison).has_value());
}

TEST_F(Pool, AGpuOfOneWorkerTakesComparisonsAloneInItsIdleTime) {
  DeviceWorkerPoolOptions one = options();
  one.idle_after = 0ms;
  DeviceWorkerPool pool(std::move(one));
  EXPECT_FALSE(pool.run_if_idle(job("good")).has_value()) << "a trial would wait for all of it";
  DeviceJob comparison = job("good");
  comparison.opponent.emplace();
  EXPECT_TRUE(pool.run_if_idle(comparison).has_value());
  DeviceWorkerPoolOptions later = options();
  later.idle_after = 1h;
  DeviceWorkerPool hasty(std::move(later));
  expect_good(hasty);
  EXPECT_FALSE(hasty.run_if_idle(comparison).has_value()) << "between two jobs of one trial";
}

TEST_F(Pool, WhoAsksFirstIsServedFirstButForComparisons) {
  DeviceWorkerPool pool(options());
  std::mutex mutex;
  std::vector<std::string> order;
  std::vector<std::jthread> asking;
  const auto ask = [&](const std::string& name, DeviceJob what) {
    asking.emplace_back([&, name, what = std::move(what)] {
      static_cast<void>(pool.run(what));
      const std::scoped_lock lock(mutex);
      order.push_back(name);
    });
    std::this_thread::sleep_for(150ms);
  };
  DeviceJob comparison = job("brief");
  comparison.opponent.emplace();
  ask("busy", job("alive"));
  for (const char* name : {"first", "second", "third"}) ask(name, job("brief"));
  ask("comparison", comparison);
  asking.clear();
  EXPECT_EQ(order, (std::vector<std::string>{"busy", "comparison", "first", "second", "third"}));
}

TEST_F(Pool, ManyLossesInARow) {
  DeviceWorkerPool pool(options());
  for (const char* behaviour : {"lost", "crash", "lost", "exit", "garbage", "crash"}) {
    static_cast<void>(pool.run(job(behaviour)));
  }
  expect_good(pool);
}

TEST_F(Pool, ABrokenEnvironmentIsThrownAndTheNextJobGetsANewWorker) {
  DeviceWorkerPool pool(options());
  try {
    static_cast<void>(pool.run(job("environment")));
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("fell off the bus"));
  }
  expect_good(pool);
}

TEST_F(Pool, AReplacementThatDoesNotComeUpIsABrokenEnvironment) {
  DeviceWorkerPoolOptions chosen =
      options("limited");  // two starts are good: the active worker and its spare
  DeviceWorkerPool pool(std::move(chosen));
  // The spare is the second to start only once it has.
  for (int i = 0; i < 5000 && lines("start") < 2; ++i) std::this_thread::sleep_for(1ms);
  expect_good(pool);
  EXPECT_FALSE(pool.run(job("crash")).gates.at(0).pass());
  expect_good(pool);
  EXPECT_FALSE(pool.run(job("crash")).gates.at(0).pass());
  EXPECT_THROW(static_cast<void>(pool.run(job("good"))), model::Exception);
}

TEST_F(Pool, WithoutASpareTheNextWorkerStartsWhenItIsNeeded) {
  DeviceWorkerPoolOptions chosen = options();
  chosen.spare = false;
  DeviceWorkerPool pool(std::move(chosen));
  EXPECT_EQ(lines("start"), 1);
  EXPECT_FALSE(pool.run(job("crash")).gates.at(0).pass());
  expect_good(pool);
  EXPECT_EQ(lines("start"), 2);
}

TEST_F(Pool, AWorkerThatDoesNotComeUpSaysWhy) {
  const auto reason = [this](const std::string& start) -> std::string {
    DeviceWorkerPoolOptions chosen = options(start);
    chosen.hello_timeout = 500ms;
    try {
      DeviceWorkerPool pool(std::move(chosen));
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::environment);
      return error.what();
    }
    return "it came up";
  };
  EXPECT_THAT(reason("wrong_version"), HasSubstr("speaks protocol version 99"));
  EXPECT_THAT(reason("dies"), testing::AllOf(HasSubstr("exit code 3"), HasSubstr("cannot find libcuda")));
  EXPECT_THAT(reason("broken"), HasSubstr("there is no device cuda:7"));
  EXPECT_THAT(reason("not_a_worker"), HasSubstr("is no device worker"));
  EXPECT_THAT(reason("mute"), HasSubstr("did not start within 500 ms"));
}

/// Several GPUs, each with a log of its own.
class SeveralGpus : public Pool {
 protected:
  ~SeveralGpus() override {
    for (const auto& log : logs_) std::filesystem::remove(log);
  }
  DeviceWorkerPoolOptions gpus(const std::vector<std::string>& starts) {
    DeviceWorkerPoolOptions made = options();
    made.commands.clear();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      logs_.push_back(log_.string() + "-" + std::to_string(i));
      std::filesystem::remove(logs_.back());
      made.commands.push_back({EVO_FAKE_WORKER, starts[i], logs_.back()});
      made.gpus.push_back("cuda:" + std::to_string(i));
    }
    made.left_out = [this](const std::string& gpu, const std::string& why) {
      left_out_.push_back(gpu + ": " + why);
    };
    return made;
  }
  [[nodiscard]] int lines_of(std::size_t gpu, const std::string& wanted) const {
    std::ifstream in(logs_.at(gpu));
    int count = 0;
    for (std::string line; std::getline(in, line);) count += line == wanted ? 1 : 0;
    return count;
  }
  static DeviceJob timed() {
    DeviceJob made = job("timed");
    made.timed_cases.emplace_back();
    return made;
  }
  /// While the first GPU has something else to do.
  static DeviceResult run_on_the_second(DeviceWorkerPool& pool, const DeviceJob& wanted) {
    const std::jthread busy([&pool] { static_cast<void>(pool.run(job("alive"))); });
    std::this_thread::sleep_for(300ms);
    return pool.run(wanted);
  }
  std::vector<std::string> logs_, left_out_;
};

TEST_F(SeveralGpus, OneOnWhichNoWorkerComesUpIsLeftOut) {
  DeviceWorkerPool pool(gpus({"broken", "good"}));
  EXPECT_EQ(pool.devices().size(), 1u);
  EXPECT_EQ(pool.info().name, "Fake good");
  expect_good(pool);
  EXPECT_THAT(left_out_, testing::ElementsAre(HasSubstr("cuda:0: ")));
}

TEST_F(SeveralGpus, NoneAtAllIsABrokenEnvironment) {
  EXPECT_THROW(DeviceWorkerPool pool(gpus({"broken", "dies"})), model::Exception);
}

TEST_F(SeveralGpus, WhatWasWithOneThatBreaksGoesToAnother) {
  DeviceWorkerPool pool(gpus({"bus", "good"}));
  for (int i = 0; i < 3; ++i) expect_good(pool);
  EXPECT_THAT(left_out_,
              testing::ElementsAre(testing::AllOf(HasSubstr("cuda:0"), HasSubstr("fell off the bus"))));
  EXPECT_EQ(lines_of(0, "job good"), 1);
  EXPECT_EQ(lines_of(1, "job good"), 3);
}

TEST_F(SeveralGpus, TheLastOneIsNotLeftOut) {
  DeviceWorkerPool pool(gpus({"bus", "good"}));
  expect_good(pool);
  EXPECT_THROW(static_cast<void>(pool.run(job("environment"))), model::Exception);
  expect_good(pool);
  EXPECT_EQ(left_out_.size(), 1u);
}

TEST_F(SeveralGpus, AJobIsNotBlamedForAGpuThatWent) {
  DeviceWorkerPool pool(gpus({"goes", "good"}));
  expect_good(pool);
  EXPECT_THAT(left_out_, testing::ElementsAre(HasSubstr("cuda:0")));
}

TEST_F(SeveralGpus, AJobThatTakesItsWorkerDownIsNotTriedOnAnother) {
  DeviceWorkerPool pool(gpus({"good", "good"}));
  EXPECT_FALSE(pool.run(job("crash")).gates.at(0).pass());
  EXPECT_EQ(lines_of(0, "job crash") + lines_of(1, "job crash"), 1);
  EXPECT_TRUE(left_out_.empty());
}

TEST_F(SeveralGpus, ASlowOneIsLeftOutBeforeItTimesAnything) {
  DeviceWorkerPool pool(gpus({"good", "slow"}));
  EXPECT_EQ(pool.run(timed()).latencies.at(0).latency.microseconds, 100);
  EXPECT_EQ(run_on_the_second(pool, timed()).latencies.at(0).latency.microseconds, 100);
  EXPECT_THAT(left_out_, testing::ElementsAre(testing::AllOf(HasSubstr("cuda:1"), HasSubstr("1.50 times"),
                                                             HasSubstr("cuda:0"))));
}

TEST_F(SeveralGpus, OneThatFailsWhatIsRightElsewhereIsLeftOut) {
  DeviceWorkerPool pool(gpus({"good", "wrong"}));
  EXPECT_TRUE(pool.run(timed()).gates.at(0).pass());
  EXPECT_TRUE(run_on_the_second(pool, timed()).gates.at(0).pass());
  EXPECT_THAT(left_out_, testing::ElementsAre(HasSubstr("cuda:1")));
}

TEST_F(SeveralGpus, EquallyFastOnesShareTheJobs) {
  DeviceWorkerPool pool(gpus({"good", "good"}));
  EXPECT_TRUE(pool.run(timed()).gates.at(0).pass());
  EXPECT_TRUE(run_on_the_second(pool, timed()).gates.at(0).pass());
  EXPECT_EQ(lines_of(1, "job timed"), 2) << "the job that all are compared by, and its own";
  EXPECT_TRUE(left_out_.empty());
}

TEST(GpuPace, IsLookedAtAgainAfterAWhile) {
  evaluators::worker::Pace pace({1.1, 3});
  DeviceJob wanted = job("timed");
  EXPECT_FALSE(pace.due("a", wanted)) << "not timed";
  wanted.timed_cases.emplace_back();
  EXPECT_FALSE(pace.due("a", wanted)) << "nothing to compare by yet";
  DeviceResult result;
  result.gates.push_back({model::Gate::correctness, std::nullopt, 1});
  result.latencies.push_back({"w", 1, {}});
  result.latencies[0].latency.microseconds = 100;
  pace.ran("a", wanted, result);
  EXPECT_FALSE(pace.due("a", wanted));
  EXPECT_FALSE(pace.due("a", wanted));
  EXPECT_TRUE(pace.due("a", wanted)) << "the third since";
  EXPECT_FALSE(pace.due("a", wanted));
  EXPECT_TRUE(pace.due("b", wanted)) << "its first";
  result.latencies[0].latency.microseconds = 80;
  EXPECT_EQ(pace.verdict("b", result), "");
  result.latencies[0].latency.microseconds = 100;
  EXPECT_NE(pace.verdict("a", result), "") << "the first may be the slow one";
  pace.forget("b");
  EXPECT_EQ(pace.verdict("a", result), "");
}

TEST_F(Pool, ThreadsShareTheGpusAndFailuresStayWithTheirJobs) {
  DeviceWorkerPool pool(options("good", 2));
  std::mutex mutex;
  std::set<double> processes;
  std::atomic<int> correct{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 6; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 6; ++i) {
          const bool bad = (thread + i) % 6 == 0;
          const DeviceResult result = pool.run(job(bad ? "crash" : "good"));
          if (result.gates.at(0).pass() != bad) ++correct;
          const std::lock_guard lock(mutex);
          if (!bad) processes.insert(result.device_seconds);
        }
      });
    }
  }
  EXPECT_EQ(correct, 36);
  EXPECT_GT(processes.size(), 1u);
  EXPECT_EQ(lines("job crash"), 6);
}

}  // namespace
}  // namespace evo::test
