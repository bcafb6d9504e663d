// An evaluator whose verdicts mean nothing starts no run.
#include "session/evaluator_check.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "model/error.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using testing::failure_of;
using testing::SeenJob;

struct EvaluatorTest : ::testing::Test, testing::FakeRun {
  EvaluatorTest() {
    std::string pattern = (fs::temp_directory_path() / "evo-session-XXXXXX").string();
    memory = ::mkdtemp(pattern.data());
    experiment =
        hand_made("check", load_problem_or_throw(EVO_SOURCE_DIR "/suites/attacks/problems/vector_add"));
    config::complete_workloads(experiment);
    script->kind = "virtual";
    // Sound: kernels that do nothing, or write what is not asked for, are refused; the slow one is slow.
    script->verdict = [](const SeenJob& seen) -> std::optional<model::Failure> {
      if (seen.job.artifact.entry != "evo_null") return std::nullopt;
      const std::string& source = seen.job.artifact.ptx;
      return failure_of(model::Status::wrong, source.find("for (") == std::string::npos ? "unwritten"
                                              : source.find("0x7fc00000") != std::string::npos ||
                                                      source.find("0x7e00") != std::string::npos
                                                  ? "non_finite"
                                                  : "mismatch");
    };
    script->microseconds = [](const evaluators::gates::DeviceJob& job) {
      return job.artifact.ptx.find("k < 2000") != std::string::npos ? 30.0 : 3.0;
    };
  }
  ~EvaluatorTest() override { fs::remove_all(memory); }
  bool sound() {
    try {
      require_sound_evaluator(
          experiment, stack(), 1, [this](const std::string& line) { told.push_back(line); }, memory);
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
      return false;
    }
    return true;
  }
  [[nodiscard]] std::ptrdiff_t remembered() const {
    return std::distance(fs::directory_iterator(memory), fs::directory_iterator());
  }
  fs::path memory;
  std::vector<std::string> told;
};

TEST_F(EvaluatorTest, ASuccessOnTheVirtualDeviceIsRemembered) {
  ASSERT_TRUE(sound()) << ::testing::PrintToString(told);
  EXPECT_FALSE(told.empty());
  EXPECT_EQ(remembered(), 1);
  const std::size_t jobs = script->jobs.size();
  EXPECT_TRUE(sound());
  EXPECT_EQ(script->jobs.size(), jobs) << "not asked again";
  experiment.workloads[0].axes["n"] = 77;
  EXPECT_TRUE(sound());
  EXPECT_GT(script->jobs.size(), jobs) << "another workload is another question";
}

TEST_F(EvaluatorTest, AGpuIsAskedBeforeEveryRun) {
  script->kind = "cuda";
  ASSERT_TRUE(sound()) << ::testing::PrintToString(told);
  EXPECT_EQ(remembered(), 0);
  const std::size_t jobs = script->jobs.size();
  EXPECT_TRUE(sound());
  EXPECT_EQ(script->jobs.size(), 2 * jobs);
}

TEST_F(EvaluatorTest, OneThatTakesEverythingStartsNoRun) {
  script->verdict = [](const SeenJob&) { return std::nullopt; };
  EXPECT_FALSE(sound());
  EXPECT_EQ(remembered(), 0) << "only a success is";
}

TEST(RequirePassed, NamesTheFirstCheckThatFailed) {
  evaluators::selftest::Report report;
  require_passed(report);
  report.checks.emplace_back().name = "one";
  report.checks.back().pass = true;
  require_passed(report);
  report.checks.emplace_back().name = "two";
  report.checks.back().message = "it is not";
  try {
    require_passed(report);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_NE(std::string(error.what()).find("'two': it is not"), std::string::npos) << error.what();
  }
}

TEST(DoctorExperiment, IsVectorAdditionOnAutoUnlessItIsTold) {
  const model::Experiment usual = doctor_experiment("", "");
  EXPECT_EQ(usual.problem.name, "vector_add");
  EXPECT_EQ(usual.device, "auto");
  EXPECT_EQ(doctor_experiment(EVO_SOURCE_DIR "/suites/attacks/problems/saxpy", "virtual").device, "virtual");
}

TEST_F(EvaluatorTest, ACommandAsTheOracleIsRefusedOnAGpuBeforeTheRun) {
  model::OracleSource program;
  program.kind = model::OracleKind::command;
  program.command = {"python3", "reference.py"};
  experiment.problem.oracles = {program};
  EXPECT_NO_THROW(static_cast<void>(stack()));
  script->kind = "cuda";
  try {
    const EvaluationStack on_gpu(experiment, testing::scripted_parts(script), input_seed);
    FAIL() << "a worker on a GPU may start no program";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
  }
}

}  // namespace
}  // namespace evo::session
