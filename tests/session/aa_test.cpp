// A/A: what is counted, and what is no honest result.
#include "session/aa.hpp"

#include <gtest/gtest.h>

#include "evaluators/compile/compiler.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using model::Status;
using testing::failure_of;
using testing::SeenJob;

bool is_copy(const evaluators::gates::DeviceJob& job) {
  return job.artifact.entry.find("_copy_") != std::string::npos;
}

TEST(RenamedCopy, HasAnotherEntryAndTheSameTokens) {
  model::Template kernel;
  kernel.name = "plain";
  kernel.entry = "add";
  kernel.source = "#define A \\\n  1\nvoid add(int address) { add_1(add); }\n";
  for (int number = 1; number <= 4; ++number) {
    const model::Template copy = renamed_copy(kernel, number);
    const std::string entry = "add_copy_" + std::to_string(number);
    EXPECT_EQ(copy.entry, entry);
    EXPECT_EQ(copy.name, "plain_copy_" + std::to_string(number));
    EXPECT_NE(copy.source.find("void " + entry + "(int address) { add_1(" + entry + "); }"),
              std::string::npos)
        << copy.source;
    EXPECT_NE(copy.source.find("\\\n  1"), std::string::npos) << "nothing follows a backslash";
  }
  EXPECT_NE(renamed_copy(kernel, 4).source.find("A \\\n  1\n\n"), std::string::npos)
      << "white space differs: " << renamed_copy(kernel, 4).source;
}

TEST(RenamedCopy, OfATemplateHasItsParametersBehindAnotherName) {
  model::Template kernel;
  kernel.name = "plain";
  kernel.entry = "ns::sgemm<{TILE}, float>(const sgemm_t*)";
  kernel.launch.entry = "tail<8>";
  kernel.source = "namespace ns { template <int N, class T> void sgemm(const sgemm_t*); }\nvoid tail();\n";
  const model::Template copy = renamed_copy(kernel, 2);
  EXPECT_EQ(copy.entry, "ns::sgemm_copy_2<{TILE}, float>(const sgemm_t*)");
  EXPECT_EQ(copy.launch.entry, "tail_copy_2<8>");
  EXPECT_NE(copy.source.find("void sgemm_copy_2(const sgemm_t*)"), std::string::npos) << copy.source;
  EXPECT_NE(copy.source.find("void tail_copy_2()"), std::string::npos) << copy.source;
}

struct AaTest : ::testing::Test, testing::FakeRun {
  AaReport measure(int copies = 20) {
    BenchSubject subject;
    subject.experiment = experiment;
    subject.variants = {{"baseline", "id", "plain", experiment.baseline}};
    const AaSubject made = aa_subject(subject, copies);
    sources = made.sources;
    experiment = made.experiment;
    return measure_aa(made, stack(), copies, 1);
  }
  int sources = 0;
};

TEST_F(AaTest, EqualCopiesAreNeitherFasterNorRefused) {
  const AaReport report = measure();
  EXPECT_TRUE(report.baseline_correct());
  EXPECT_TRUE(report.outcome.honest());
  EXPECT_EQ(report.outcome.faster(), 0);
  EXPECT_EQ(report.outcome.refused(), 0);
  int all = 0;
  for (const auto& [status, number] : report.outcome.counts) all += number;
  EXPECT_EQ(all, 20);
  EXPECT_EQ(report.outcome.sources, 16) << "at most 16 sources are compiled";
  EXPECT_EQ(sources, 16);
  EXPECT_EQ(report.outcome.same_code, 0) << "the fake compiler's code is the source";
  EXPECT_EQ(report.outcome.least_ratio, 1);
  EXPECT_EQ(report.outcome.largest_ratio, 1);
  EXPECT_FALSE(report.outcome.first_refused);
}

TEST_F(AaTest, ACopyThatSeemsFasterIsTimedInTurnAndThenCounts) {
  script->microseconds = [](const evaluators::gates::DeviceJob& job) { return is_copy(job) ? 8.0 : 10.0; };
  script->paired_ratio = 0.8;
  const AaReport report = measure(3);
  EXPECT_EQ(report.outcome.sources, 3);
  EXPECT_EQ(report.outcome.faster(), 3);
  EXPECT_EQ(report.outcome.paired, 3);
  EXPECT_NEAR(report.outcome.least_paired, 0.8, 1e-9);
  EXPECT_NEAR(report.outcome.largest_paired, 0.8, 1e-9);
  EXPECT_FALSE(report.outcome.honest());
}

TEST_F(AaTest, InTurnACopyIsATieAgain) {
  script->microseconds = [](const evaluators::gates::DeviceJob& job) { return is_copy(job) ? 8.0 : 10.0; };
  const AaReport report = measure(3);
  EXPECT_EQ(report.outcome.faster(), 0);
  EXPECT_EQ(report.outcome.paired, 3);
  EXPECT_TRUE(report.outcome.honest());
}

TEST_F(AaTest, ARefusedCopyIsNotHonest) {
  script->verdict = [](const SeenJob& seen) {
    return seen.job.artifact.entry == "add_copy_2" ? std::optional(failure_of(Status::wrong, "mismatch"))
                                                   : std::nullopt;
  };
  const AaReport report = measure(3);
  EXPECT_EQ(report.outcome.refused(), 1);
  EXPECT_EQ(report.outcome.count(Status::wrong), 1);
  ASSERT_TRUE(report.outcome.first_refused);
  EXPECT_EQ(report.outcome.first_refused->reason, "mismatch");
  EXPECT_FALSE(report.outcome.honest());
}

TEST_F(AaTest, ABaselineThatIsNotRightIsNotCopied) {
  script->verdict = [](const SeenJob&) { return std::optional(failure_of(Status::wrong, "mismatch")); };
  const AaReport report = measure(3);
  EXPECT_FALSE(report.baseline_correct());
  EXPECT_EQ(report.baseline.reason, "mismatch");
  EXPECT_TRUE(report.outcome.counts.empty());
  EXPECT_EQ(script->jobs.size(), 1U);
}

TEST(AaOutcome, KeepsTheExtremesAndTheFirstRefusal) {
  const auto trial = [](Status status, double microseconds) {
    engine::TrialRecord made;
    made.status = status;
    made.reason = std::to_string(static_cast<int>(microseconds));
    model::Latency latency;
    latency.microseconds = microseconds;
    if (model::is_proven_correct(status)) made.latencies = {{"w", 1, latency}};
    return made;
  };
  const engine::TrialRecord baseline = trial(Status::proven, 10);
  AaOutcome outcome;
  outcome.add(trial(Status::correct_slower, 12), baseline);
  outcome.add(trial(Status::tie, 9), baseline);
  outcome.add(trial(Status::wrong, 1), baseline);
  outcome.add(trial(Status::quarantined, 2), baseline);
  EXPECT_DOUBLE_EQ(outcome.least_ratio, 0.9);
  EXPECT_DOUBLE_EQ(outcome.largest_ratio, 1.2);
  EXPECT_EQ(outcome.refused(), 2);
  EXPECT_EQ(outcome.first_refused->reason, "1");
  EXPECT_EQ(outcome.paired, 0);
}

}  // namespace
}  // namespace evo::session
