// The self-test against an honest evaluator, and against evaluators that lie in one way each: the check that
// is there for it must be the one that fails.
#include "evaluators/selftest/selftest.hpp"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/fake_compiler.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::selftest {
namespace {

using gates::DeviceJob;
using gates::DeviceResult;
using model::Status;

DeviceResult refused(Status status, const std::string& reason) {
  return {{{model::Gate::correctness, model::Failure{status, reason, {{reason, reason, {}, 0, {}}}}, 1}},
          {},
          0,
          {}};
}

DeviceResult passed(const DeviceJob& job, double microseconds) {
  DeviceResult result{{{model::Gate::correctness, std::nullopt, 1}}, {}, 0, {}};
  for (const model::Case& bound : job.timed_cases) {
    model::Latency latency;
    latency.microseconds = microseconds;
    result.latencies.push_back({bound.name, 1, latency});
  }
  return result;
}

/// What a sound evaluator says of the self-test's kernels, told from their source (FakeCompiler's "PTX").
DeviceResult honest(const DeviceJob& job) {
  const std::string& text = job.artifact.ptx;
  if (job.artifact.entry == "evo_null") {
    if (text.find("for (") == std::string::npos) return refused(Status::wrong, "unwritten");
    return refused(Status::wrong, text.find("0x7fc00000") != std::string::npos ? "non_finite" : "mismatch");
  }
  return passed(job, text.find("k < 2000") != std::string::npos ? 30 : 3);
}

class FakeRunner final : public gates::JobRunner {
 public:
  explicit FakeRunner(std::function<DeviceResult(const DeviceJob&)> answer) : answer_(std::move(answer)) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    ++jobs;
    return answer_(job);
  }
  [[nodiscard]] devices::DeviceInfo info() const override { return {"cuda", "fake GPU", "sm_89", "1", "u"}; }
  int jobs = 0;

 private:
  std::function<DeviceResult(const DeviceJob&)> answer_;
};

struct SelfTest : ::testing::Test {
  Report ask(const std::function<DeviceResult(const DeviceJob&)>& answer, bool follows = false) {
    FakeRunner runner(answer);
    return run({experiment, compiler, runner, 7, "", follows});
  }
  std::string first_failure(const std::function<DeviceResult(const DeviceJob&)>& answer) {
    const Report report = ask(answer);
    return report.first_failure() == nullptr ? "" : report.first_failure()->name;
  }
  model::Experiment experiment = tests::vector_add_experiment();
  tests::FakeCompiler compiler;
};

TEST_F(SelfTest, AnHonestEvaluatorPassesAndEveryCheckSaysWhatItSaw) {
  const Report report = ask(honest);
  EXPECT_TRUE(report.pass());
  std::set<std::string> names;
  for (const Check& check : report.checks) {
    EXPECT_TRUE(check.pass) << check.name << ": " << check.message;
    EXPECT_FALSE(check.message.empty()) << check.name;
    names.insert(check.name);
  }
  for (const char* wanted : {"null nothing", "null zeros", "null constant", "null NaN",
                             "null copy of an input", "null twice an input", "good baseline", "fast and slow",
                             "argument a", "argument b", "argument n", "argument c_stride"}) {
    EXPECT_TRUE(names.contains(wanted)) << wanted;
  }
}

TEST_F(SelfTest, WhoeverPassesEverythingIsFoundByTheNullCandidates) {
  EXPECT_EQ(first_failure([](const DeviceJob& job) { return passed(job, 3); }), "null nothing");
}

TEST_F(SelfTest, WhoeverPassesOneNullCandidateIsFoundByThatOne) {
  const auto passing = [](const std::string& text) {
    return [text](const DeviceJob& job) {
      return job.artifact.ptx.find(text) != std::string::npos ? passed(job, 3) : honest(job);
    };
  };
  EXPECT_EQ(first_failure(passing("c[at] = 0;")), "null zeros");
  EXPECT_EQ(first_failure(passing("c[at] = 1.0f;")), "null constant");
  EXPECT_EQ(first_failure(passing("0x7fc00000")), "null NaN");
  EXPECT_EQ(first_failure(passing("c[at] = x;")), "null copy of an input");
  EXPECT_EQ(first_failure(passing("c[at] = x + x;")), "null twice an input");
}

TEST_F(SelfTest, WhoeverRefusesForAnotherReasonIsFoundToo) {
  EXPECT_EQ(first_failure([](const DeviceJob& job) {
              return job.artifact.entry == "evo_null" ? refused(Status::launch_error, "entry_not_found")
                                                      : honest(job);
            }),
            "null nothing");
}

TEST_F(SelfTest, WhoeverRefusesTheGoodKernelIsFound) {
  const auto refuse_good = [](const DeviceJob& job) {
    return job.artifact.entry == "add" ? refused(Status::wrong, "mismatch") : honest(job);
  };
  EXPECT_EQ(first_failure(refuse_good), "good baseline");
  EXPECT_TRUE(ask(refuse_good, true).pass()) << "then the first trial of the run says so";
}

TEST_F(SelfTest, AStaleBinaryOrABlindClockIsFound) {
  EXPECT_EQ(first_failure([](const DeviceJob& job) {
              return job.artifact.entry == "evo_pair" ? passed(job, 1099.776) : honest(job);
            }),
            "fast and slow");
  int pairs = 0;
  EXPECT_EQ(first_failure([&](const DeviceJob& job) {
              if (job.artifact.entry != "evo_pair") return honest(job);
              return passed(job, ++pairs == 4 ? 3 : honest(job).latencies.front().latency.microseconds);
            }),
            "fast and slow")
      << "one stale answer out of four is enough";
}

TEST_F(SelfTest, ACompilerThatRefusesTheGeneratedKernelsIsFound) {
  tests::FakeCompiler broken([](const compile::CompileRequest& request) -> tests::FakeCompiler::Result {
    if (request.entry == "evo_null")
      return tl::make_unexpected(model::Failure{Status::compile_error, "crash", {}});
    return tests::FakeCompiler::plain(request);
  });
  FakeRunner runner(honest);
  EXPECT_EQ(run({experiment, broken, runner, 7, "", false}).first_failure()->name, "null nothing");
}

TEST_F(SelfTest, AToleranceThatAcceptsEverythingIsFoundByTheArguments) {
  experiment.problem.tolerances = {{"fp32", 1.0, 1e6, {}}};
  experiment.problem.input_sets = {{"close", "normal", {{"mean", 1e6}, {"deviation", 1e-3}}}};
  EXPECT_EQ(first_failure(honest), "argument a");
}

TEST_F(SelfTest, AnArgumentThatMeansNothingIsFound) {
  model::Argument unused;
  unused.name = "unused";
  unused.role = model::ArgumentRole::scalar;
  unused.dtype = model::DType::i32;
  unused.scalar.expression = tests::parsed("n + 12345");
  experiment.problem.arguments.push_back(unused);
  EXPECT_EQ(first_failure(honest), "argument unused");
}

}  // namespace
}  // namespace evo::evaluators::selftest
