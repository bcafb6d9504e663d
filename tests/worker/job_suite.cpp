#include "tests/worker/job_suite.hpp"

#include <chrono>

namespace evo::test {

using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;
using model::Status;

namespace {

constexpr std::int64_t elements = 1000;

model::BoundArgument array(const std::string& name, model::ArgumentRole role) {
  return {name, role, model::DType::f32, {elements}, {1}, 0, 0};
}

}  // namespace

DeviceJob make_add_job(model::Artifact artifact, bool timed) {
  DeviceJob made;
  made.artifact = std::move(artifact);
  made.oracle = "vector_add";
  made.input_sets = {{"normal", "normal", {}}};
  made.tolerance = {"fp32", 1e-5, 1e-4};
  model::Case bound;
  bound.name = "n1000";
  bound.axes = {{"n", elements}};
  bound.arguments = {array("a", model::ArgumentRole::input),
                     array("b", model::ArgumentRole::input),
                     array("c", model::ArgumentRole::output),
                     {"n", model::ArgumentRole::scalar, model::DType::i32, {}, {}, 0, elements}};
  bound.launch = {{8, 1, 1}, {128, 1, 1}, 0};
  made.cases = {bound};
  if (timed) made.timed_cases = {bound};
  made.input_seed = 7;
  made.settings.repeated_launches = 6;
  made.settings.launch_timeout_ms = 400;
  made.settings.timing_samples = 12;
  return made;
}

void DeviceJobSuite::SetUp() {
  source_ = GetParam()();
  if (!source_->why_not.empty()) GTEST_SKIP() << source_->why_not;
  evaluators::worker::DeviceWorkerPoolOptions options;
  options.commands = {source_->command()};
  pool_ = std::make_unique<evaluators::worker::DeviceWorkerPool>(std::move(options));
}

DeviceJob DeviceJobSuite::job(const std::string& entry, bool timed) {
  return make_add_job(source_->artifact(entry), timed);
}

void DeviceJobSuite::expect_correct() {
  const DeviceResult result = pool_->run(job("add"));
  ASSERT_EQ(result.gates.size(), 1u);
  EXPECT_TRUE(result.gates[0].pass())
      << result.gates[0].failure->reason << ": "
      << (result.gates[0].failure->evidence.empty() ? "" : result.gates[0].failure->evidence[0].message);
}

model::Failure DeviceJobSuite::expect_failure(const std::string& entry, Status status,
                                              const std::string& reason) {
  expect_correct();
  const DeviceResult result = pool_->run(job(entry, true));
  EXPECT_EQ(result.gates.size(), 1u);
  if (result.gates.empty() || result.gates[0].pass()) {
    ADD_FAILURE() << entry << " passed";
    return {};
  }
  EXPECT_EQ(model::name_of(result.gates[0].failure->status), model::name_of(status));
  EXPECT_EQ(result.gates[0].failure->reason, reason);
  EXPECT_TRUE(result.latencies.empty()) << "what is not correct has no latency";
  expect_correct();
  return *result.gates[0].failure;
}

TEST_P(DeviceJobSuite, ARightKernelPassesAndIsTimed) {
  const DeviceResult result = pool_->run(job("add", true));
  ASSERT_EQ(result.gates.size(), 2u);
  EXPECT_TRUE(result.gates[0].pass() && result.gates[1].pass());
  ASSERT_EQ(result.latencies.size(), 1u);
  const model::Latency& latency = result.latencies[0].latency;
  EXPECT_EQ(latency.kind, model::LatencyKind::measured);
  EXPECT_EQ(latency.samples, 12u);
  EXPECT_GT(latency.microseconds, 0.0);
  EXPECT_TRUE(latency.method.starts_with("CUDA graph"));
}

TEST_P(DeviceJobSuite, AMisalignedAccessEndsItsTrialAndNoOther) {
  static_cast<void>(expect_failure("misaligned", Status::device_fault, "misaligned_address"));
}

TEST_P(DeviceJobSuite, AnIllegalAccessEndsItsTrialAndNoOther) {
  static_cast<void>(expect_failure("illegal", Status::device_fault, "illegal_address"));
}

TEST_P(DeviceJobSuite, AnEndlessKernelEndsAtItsLimitAndTheSpareTakesOver) {
  expect_correct();
  const auto start = std::chrono::steady_clock::now();
  const DeviceResult result = pool_->run(job("endless"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::timeout);
  EXPECT_EQ(result.gates[0].failure->reason, "hang");
  RecordProperty("seconds_until_answer", std::to_string(took.count()));
  expect_correct();
}

TEST_P(DeviceJobSuite, AGuardOverwriteIsWrong) {
  const model::Failure failure = expect_failure("overrun", Status::wrong, "guard_overwritten");
  ASSERT_FALSE(failure.evidence.empty());
  EXPECT_NE(failure.evidence[0].message.find("buffer c"), std::string::npos) << failure.evidence[0].message;
}

TEST_P(DeviceJobSuite, AWrongAnswerKeepsTheWorker) {
  expect_correct();
  const DeviceResult result = pool_->run(job("wrong", true));
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::wrong);
  EXPECT_TRUE(result.latencies.empty());
  expect_correct();
}

TEST_P(DeviceJobSuite, AddingToWhatTheOutputHeldIsCaughtByThePoison) {
  const DeviceResult result = pool_->run(job("stale"));
  EXPECT_FALSE(result.gates.at(0).pass());
}

TEST_P(DeviceJobSuite, CountingOnZerosInSharedMemoryIsCaughtByItsPoison) {
  const DeviceResult result = pool_->run(job("leftover"));
  EXPECT_FALSE(result.gates.at(0).pass());
}

TEST_P(DeviceJobSuite, AChampionsPerturbedLaunchesGiveTheSameBits) {
  DeviceJob champion = job("add");
  champion.perturbed_launches = 200;
  const DeviceResult result = pool_->run(champion);
  ASSERT_EQ(result.gates.size(), 1u);
  EXPECT_TRUE(result.gates[0].pass()) << result.gates[0].failure->reason;
  ASSERT_EQ(result.notes.size(), 2u);
  EXPECT_NE(result.notes[1].message.find("200 launches"), std::string::npos) << result.notes[1].message;
}

TEST_P(DeviceJobSuite, AKernelWithOtherParametersIsALaunchError) {
  static_cast<void>(expect_failure("few_parameters", Status::launch_error, "argument_mismatch"));
}

}  // namespace evo::test
