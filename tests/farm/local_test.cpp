// What a coordinator does itself: what no worker can do or has room for, all after the search, and audits.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "farm/runner.hpp"
#include "farm/timing_audit.hpp"
#include "farm/worker.hpp"
#include "model/error.hpp"
#include "tests/farm/memory_queue.hpp"

namespace evo::test {
namespace {

/// A coordinator that can run jobs itself.
class FarmWithLocal : public Farm {
 protected:
  farm::FarmRunnerOptions with_local() {
    farm::FarmRunnerOptions with = workers();
    with.local = std::make_shared<SeedRunner>();
    return with;
  }
  farm::CallsOptions run_3() { return {"run-3", stop_.get_token()}; }
  std::stop_source stop_;
};

TEST_F(FarmWithLocal, WhatAWorkerCannotDoIsDoneHere) {
  Coordinator runner(run_3(), with_local(), queue_);
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  const farm::ServedJob broken = farm::serve_job(
      queue_,
      [](const farm::JobMessage&, const auto&) -> std::string { throw std::runtime_error("no memory"); },
      {"w", build, 1s}, 1000ms);
  EXPECT_EQ(broken.how, farm::Served::failed);
  EXPECT_EQ(result.get().device_seconds, 7);
  EXPECT_EQ(runner.counts().failed, 1u);
  EXPECT_EQ(runner.runner.counts().local, 1u);
}

TEST_F(FarmWithLocal, AStopDoesNotWaitForWorkers) {
  Coordinator runner(run_3(), with_local(), queue_);
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.puts > 0; });
  stop_.request_stop();
  EXPECT_EQ(result.get().device_seconds, 7);
  EXPECT_EQ(runner.runner.counts().local, 1u);
}

TEST_F(FarmWithLocal, AJobLongerThanAMessageStaysHere) {
  Coordinator runner(run_3(), with_local(), queue_);
  DeviceJob job = job_of(7);
  job.artifact.ptx = std::string(farm::max_message_bytes + 1, 'x');
  EXPECT_EQ(runner.run(job).device_seconds, 7);
  EXPECT_EQ(queue_.puts, 0);
  EXPECT_EQ(runner.runner.counts().local, 1u);
}

TEST_F(FarmWithLocal, AnAuditFindsALiar) {
  farm::FarmRunnerOptions audited = with_local();
  audited.audit_every = 1;
  Coordinator runner(run_3(), audited, queue_);
  auto honest = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(honest.get().device_seconds, 7);
  EXPECT_EQ(runner.runner.counts().audited, 1u);

  auto lied_to = std::async(std::launch::async, [&] { return runner.run(job_of(8)); });
  const farm::ServedJob lie = farm::serve_job(
      queue_,
      [](const farm::JobMessage&, const auto&) {
        DeviceResult result;
        result.gates.push_back(
            {model::Gate::correctness, model::Failure{model::Status::wrong, "values", {}}, 0});
        return evaluators::gates::to_json(result);
      },
      {"liar", build, 1s}, 1000ms);
  EXPECT_EQ(lie.how, farm::Served::answered);
  try {
    static_cast<void>(lied_to.get());
    FAIL() << "a lie was taken";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("liar"), std::string::npos) << error.what();
  }
}

/// A GPU on which everything takes so long.
class TimedRunner final : public evaluators::gates::JobRunner {
 public:
  explicit TimedRunner(double us) : us_(us) {}
  [[nodiscard]] DeviceResult run(const DeviceJob&) override {
    DeviceResult result;
    result.gates.push_back({model::Gate::correctness, std::nullopt, 0});
    model::Latency latency;
    latency.microseconds = us_;
    latency.kind = model::LatencyKind::measured;
    result.latencies.push_back({"w", 1, latency});
    return result;
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override {
    return {"cuda", "PTX machine", "", "", ""};
  }

 private:
  double us_;
};

TEST_F(FarmWithLocal, AWorkerWhoseGpuTimesOtherwiseIsSetAside) {
  std::mutex mutex;
  std::vector<std::string> said;
  farm::CallsOptions options = run_3();
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    said.push_back(line);
  };
  farm::FarmRunnerOptions audited{build, TimedRunner(10).info()};
  audited.local = std::make_shared<TimedRunner>(10);
  audited.audit_every = 1;
  Coordinator runner(options, audited, queue_);
  std::uint64_t seed = 0;
  const auto timed = [&](const std::string& worker, double us) {
    auto result = std::async(std::launch::async, [&, job = job_of(++seed)] { return runner.run(job); });
    TimedRunner gpu(us);
    EXPECT_EQ(
        farm::serve_job(
            queue_,
            [&](const farm::JobMessage&, const auto&) { return evaluators::gates::to_json(gpu.run({})); },
            {worker, build, 1s}, 1000ms)
            .how,
        farm::Served::answered);
    return result.get().latencies.at(0).latency.microseconds;
  };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(timed("alike", i % 2 == 0 ? 10.5 : 9.5), i % 2 == 0 ? 10.5 : 9.5);
  EXPECT_EQ(timed("hot", 14), 14) << "once may be chance";
  EXPECT_EQ(timed("hot", 10), 10);
  EXPECT_EQ(timed("hot", 14), 14);
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(timed("hot", 14), 14);
  EXPECT_EQ(said.size(), 1u);
  EXPECT_EQ(timed("hot", 14), 10) << "done here";
  EXPECT_EQ(timed("alike", 10.5), 10.5) << "the others go on";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(timed("liar", 5), 5);
  EXPECT_EQ(timed("liar", 5), 10) << "too fast is no better";
  EXPECT_EQ(runner.runner.counts().set_aside, 2u);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("hot"), std::string::npos);
  EXPECT_NE(said[1].find("liar"), std::string::npos);
}

/// A workload, its microseconds, and its weight.
DeviceResult timed(std::initializer_list<std::tuple<const char*, double, double>> all) {
  DeviceResult result;
  for (const auto& [name, us, weight] : all) {
    model::Latency latency;
    latency.microseconds = us;
    result.latencies.push_back({name, weight, latency});
  }
  return result;
}

TEST(TimingAudit, IsOverThisMachinesWorkloadsByItsWeights) {
  EXPECT_DOUBLE_EQ(
      farm::times_as_long(timed({{"a", 8, 1}, {"b", 2, 1}}), timed({{"a", 2, 1}, {"b", 2, 1}})).value(), 2);
  EXPECT_DOUBLE_EQ(farm::times_as_long(timed({{"a", 8, 1e-9}, {"b", 2, 1}, {"c", 1, 1e9}}),
                                       timed({{"b", 2, 1}, {"a", 2, 1}}))
                       .value(),
                   2);
  EXPECT_DOUBLE_EQ(
      farm::times_as_long(timed({{"a", 8, 1}, {"b", 1, 1}}), timed({{"b", 0, 1}, {"a", 4, 1}})).value(), 2);
}

TEST(TimingAudit, AWorkloadThatIsMissingThereDoesNotFit) {
  const auto own = timed({{"a", 2, 1}, {"b", 2, 1}});
  for (const DeviceResult& theirs : {timed({{"a", 2, 1}}), timed({}), timed({{"a", 2, 1}, {"b", 0, 1}})}) {
    farm::TimingAudit audit;
    EXPECT_EQ(audit.note("w", farm::times_as_long(theirs, own)), "");
    EXPECT_NE(audit.note("w", farm::times_as_long(theirs, own)), "");
    EXPECT_TRUE(audit.is_aside("w"));
  }
}

TEST(TimingAudit, WhatCannotBeComparedIsNoLook) {
  EXPECT_EQ(farm::times_as_long(timed({{"a", 8, 1}}), timed({})), std::nullopt);
  farm::TimingAudit audit;
  EXPECT_EQ(audit.note("w", 2), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(audit.note("w", std::nullopt), "");
  EXPECT_FALSE(audit.is_aside("w"));
  EXPECT_NE(audit.note("w", 2), "");
  EXPECT_TRUE(audit.is_aside("w"));
}

TEST_F(FarmWithLocal, WhatNoWorkerHasRoomForIsDoneHereAtOnceIfItIsNotPatient) {
  farm::FarmRunnerOptions impatient = with_local();
  impatient.patient = false;
  queue_.there = {};
  Coordinator runner(run_3(), impatient, queue_);
  EXPECT_EQ(runner.run(job_of(7)).device_seconds, 7);
  EXPECT_EQ(queue_.puts, 0);
  EXPECT_EQ(runner.runner.counts().here, 1u);
  EXPECT_EQ(runner.runner.counts().local, 0u);
}

TEST_F(FarmWithLocal, AJobWhoseWorkersHaveAllGoneIsDoneHere) {
  farm::FarmRunnerOptions impatient = with_local();
  impatient.patient = false;
  farm::CallsOptions options = run_3();
  options.look = 5ms;
  Coordinator runner(options, impatient, queue_);
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.puts > 0; });
  const auto lost = queue_.take_job(1000ms);
  ASSERT_TRUE(lost);
  queue_.leave_all();
  EXPECT_EQ(result.get().device_seconds, 7);
  EXPECT_EQ(runner.counts().given_up, 1u);
  EXPECT_EQ(runner.runner.counts().here, 1u);
}

// Workers of another compiler come again and again, and give back what they take.
TEST_F(FarmWithLocal, AJobThatNobodyDoesThoughWorkersAreThereIsDoneHere) {
  farm::FarmRunnerOptions impatient = with_local();
  impatient.patient = false;
  farm::CallsOptions options = run_3();
  options.look = 5ms;
  options.impatience = 50ms;
  Coordinator runner(options, impatient, queue_);
  EXPECT_EQ(runner.run(job_of(7)).device_seconds, 7);
  EXPECT_EQ(queue_.puts, 1);
  EXPECT_EQ(runner.counts().given_up, 1u);
  EXPECT_EQ(runner.runner.counts().here, 1u);
}

// Whoever fills the queue ends no run that can do its work itself.
TEST_F(FarmWithLocal, AJobForWhichTheQueueHasNoRoomIsDoneHere) {
  queue_.full = true;
  for (const bool patient : {true, false}) {
    farm::FarmRunnerOptions options = with_local();
    options.patient = patient;
    Coordinator runner(run_3(), options, queue_);
    EXPECT_EQ(runner.run(job_of(7)).device_seconds, 7);
    EXPECT_EQ(runner.counts().jobs, 0u);
    EXPECT_EQ(runner.runner.counts().local, patient ? 1u : 0u);
    EXPECT_EQ(runner.runner.counts().here, patient ? 0u : 1u);
  }
  EXPECT_EQ(queue_.puts, 0);
  EXPECT_EQ(queue_.offers, 2);
}

TEST_F(FarmWithLocal, ALostJobWaitsForRoomWithoutTheLooker) {
  farm::CallsOptions options = run_3();
  options.look = 5ms;
  Coordinator runner(options, workers(), queue_);
  queue_.loses_jobs = true;
  auto result = std::async(std::launch::async, [&] { return runner.run(job_of(7)); });
  until([this] { return queue_.puts > 0; });
  queue_.full = true;
  until([this] { return queue_.offers > 1; });
  EXPECT_EQ(runner.counts().put_again, 0u);
  queue_.loses_jobs = false;
  queue_.full = false;
  EXPECT_EQ(serve().how, farm::Served::answered);
  EXPECT_EQ(result.get().device_seconds, 7);
}

TEST_F(FarmWithLocal, AfterTheSearchEverythingStaysHere) {
  Coordinator runner(run_3(), with_local(), queue_);
  runner.runner.stay_here();
  EXPECT_EQ(runner.run(job_of(7)).device_seconds, 7);
  EXPECT_EQ(queue_.puts, 0);
}

TEST(SameVerdict, LooksAtGatesReasonsAndLatencies) {
  DeviceResult one;
  one.gates.push_back({model::Gate::correctness, std::nullopt, 5});
  one.latencies.push_back({"w", 1, {}});
  DeviceResult other = one;
  other.gates[0].milliseconds = 50;
  other.device_seconds = 3;
  EXPECT_TRUE(farm::same_verdict(one, other));
  other.latencies[0].latency.microseconds = 1;
  EXPECT_FALSE(farm::same_verdict(one, other));
  other = one;
  other.gates[0].failure = model::Failure{model::Status::wrong, "values", {}};
  EXPECT_FALSE(farm::same_verdict(one, other));
  DeviceResult third = other;
  third.gates[0].failure->reason = "nan";
  EXPECT_FALSE(farm::same_verdict(third, other));
  third.gates[0].failure->status = model::Status::timeout;
  EXPECT_TRUE(farm::same_verdict(third, other));
}

TEST(SameVerdict, OfARealDeviceLooksAtCorrectnessAlone) {
  DeviceResult one;
  one.gates.push_back({model::Gate::correctness, std::nullopt, 5});
  one.latencies.push_back({"w", 1, {}});
  DeviceResult other = one;
  other.latencies[0].latency.microseconds = 1;
  EXPECT_TRUE(farm::same_verdict(one, other, true));
  other.gates[0].failure = model::Failure{model::Status::wrong, "values", {}};
  EXPECT_FALSE(farm::same_verdict(one, other, true));
  DeviceResult paired;
  paired.gates.push_back({model::Gate::latency, std::nullopt, 5});
  EXPECT_TRUE(farm::same_verdict(paired, paired, true));
}

}  // namespace
}  // namespace evo::test
