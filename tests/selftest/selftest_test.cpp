// The self-test against an honest evaluator, and against evaluators that lie in one way each: the check that
// is there for it must be the one that fails.
#include "evaluators/selftest/selftest.hpp"

#include <functional>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/expression_oracle.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/known.hpp"
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
    return run({experiment, compiler, runner, evo::tests::known(), 7, reference, follows});
  }
  std::string first_failure(const std::function<DeviceResult(const DeviceJob&)>& answer) {
    const Report report = ask(answer);
    return report.first_failure() == nullptr ? "" : report.first_failure()->name;
  }
  model::Experiment experiment = tests::vector_add_experiment();
  tests::FakeCompiler compiler;
  std::string reference;  ///< the source of reference.cu, if the problem has one
};

constexpr const char* reference_source =
    "// threads: n\n__global__ void reference(const float* a, const float* b, float* c, int n, int c_stride, "
    "Axes axes) {}\n";

/// Whoever answers as `honest` but for jobs of one entry point.
std::function<DeviceResult(const DeviceJob&)> but_for(const std::string& entry, DeviceResult answer) {
  return [=](const DeviceJob& job) { return job.artifact.entry == entry ? answer : honest(job); };
}

/// An argument that the oracle does not look at.
model::Argument unused_scalar(model::DType dtype, const std::string& value) {
  model::Argument unused;
  unused.name = "unused";
  unused.role = model::ArgumentRole::scalar;
  unused.dtype = dtype;
  unused.scalar.expression = tests::parsed(value);
  return unused;
}

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
  EXPECT_EQ(first_failure(passing("c[evo_at] = 0;")), "null zeros");
  EXPECT_EQ(first_failure(passing("c[evo_at] = 1.0f;")), "null constant");
  EXPECT_EQ(first_failure(passing("0x7fc00000")), "null NaN");
  EXPECT_EQ(first_failure(passing("c[evo_at] = evo_x;")), "null copy of an input");
  EXPECT_EQ(first_failure(passing("c[evo_at] = evo_x + evo_x;")), "null twice an input");
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
  pairs = 0;
  EXPECT_EQ(first_failure([&](const DeviceJob& job) {
              if (job.artifact.entry != "evo_pair") return honest(job);
              return passed(job, ++pairs == 1 ? 30 : honest(job).latencies.front().latency.microseconds);
            }),
            "fast and slow")
      << "whichever it is";
}

TEST_F(SelfTest, ACompilerThatRefusesTheGeneratedKernelsIsFound) {
  tests::FakeCompiler broken([](const compile::CompileRequest& request) -> tests::FakeCompiler::Result {
    if (request.entry == "evo_null")
      return tl::make_unexpected(model::Failure{Status::compile_error, "crash", {}});
    return tests::FakeCompiler::plain(request);
  });
  FakeRunner runner(honest);
  EXPECT_EQ(run({experiment, broken, runner, evo::tests::known(), 7, "", false}).first_failure()->name,
            "null nothing");
}

TEST_F(SelfTest, AToleranceThatAcceptsEverythingIsFoundByTheArguments) {
  experiment.problem.tolerances = {{"fp32", 1.0, 1e6, {}}};
  experiment.problem.input_sets = {{"close", "normal", {{"mean", 1e6}, {"deviation", 1}}}};
  EXPECT_EQ(first_failure(honest), "argument a");
}

/// The first check of a mistake that failed, of a problem with this oracle and these sets.
struct Mistakes : SelfTest {
  std::string unseen(const std::string& formula, std::vector<model::InputSet> sets, double bound = 1e-6) {
    oracle::Catalogue known = evo::tests::known();
    known.add("problem", std::make_shared<oracle::ExpressionOracle>(
                             std::vector<model::OracleStatement>{{formula, "p.yaml", 1, 1}}));
    experiment.problem.oracle = "problem";
    experiment.problem.input_sets = std::move(sets);
    experiment.problem.tolerances = {{"fp32", bound, 10 * bound, {}}};
    FakeRunner runner(honest);
    report = run({experiment, compiler, runner, known, 7, reference, false});
    for (const Check& check : report.checks) {
      if (!check.pass && check.name.starts_with("mistake: ")) return check.name.substr(9);
    }
    return {};
  }
  Report report;
};

TEST_F(Mistakes, AreSeenWhereInputsAndToleranceAreSound) {
  EXPECT_EQ(unseen("c[i] = a[i] - 2 * b[i]", {{"normal", "normal", {}}}), "");
  std::set<std::string> names;
  for (const Check& check : report.checks) names.insert(check.name);
  for (const char* wanted : {"mistake: a and b are swapped", "mistake: index 0 of a is off by one",
                             "mistake: dimension 0 of c is written off by one",
                             "mistake: the last index of dimension 0 of b is left out",
                             "mistake: 'c[i] = a[i] - 2 * b[i]': - is +"}) {
    EXPECT_TRUE(names.contains(wanted)) << wanted;
  }
}

TEST_F(Mistakes, OfASumDoNotCountWhereTheyChangeNothing) {
  EXPECT_EQ(unseen("c[i] = a[i] + b[i]", {{"normal", "normal", {}}}), "") << "a + b is b + a";
  for (const Check& check : report.checks) {
    if (check.name == "mistake: a and b are swapped") {
      EXPECT_EQ(check.message, "changes nothing that this problem computes");
    }
  }
}

TEST_F(Mistakes, InputsThatAreAllOnesAreRefused) {
  (void)unseen("c[i] = a[i] * b[i]", {{"ones", "constant", {{"value", 1}}}});
  ASSERT_NE(report.first_failure(), nullptr);
  EXPECT_EQ(report.first_failure()->name, "argument a");
}

TEST_F(Mistakes, FillsThatAreAllOneNumberHideThem) {
  for (model::Argument& argument : experiment.problem.arguments) {
    if (argument.role != model::ArgumentRole::input) continue;
    model::Fill ones;
    ones.form = model::FillForm::constant;
    ones.numbers = {{{}, 1.0}};
    argument.fill = ones;
  }
  EXPECT_NE(unseen("c[i] = a[i] - 2 * b[i]", {{"normal", "normal", {}}}), "");
  experiment.problem.arguments[0].fill.reset();
  EXPECT_EQ(unseen("c[i] = a[i] - 2 * b[i]", {{"normal", "normal", {}}}), "")
      << "one array that varies, and one that never does as its fill says";
}

TEST_F(Mistakes, ThatTheToleranceHidesAreTold) {
  EXPECT_NE(unseen("c[i] = a[i] - b[i]", {{"normal", "normal", {}}}, 5), "") << "five times the answer";
}

TEST_F(Mistakes, OfContentsThatNeverVaryOthersMayHaveNoAnswer) {
  model::Argument last = experiment.problem.arguments[0];
  last.name = "last";
  last.dtype = model::DType::i32;
  model::Fill fill;
  fill.form = model::FillForm::constant;
  fill.numbers = {{tests::parsed("n - 1"), std::nullopt}};
  last.fill = fill;
  experiment.problem.arguments.push_back(last);
  (void)unseen("c[i] = a[last[i]] + b[i]", {{"normal", "normal", {}}});
  const auto check = std::ranges::find(report.checks, "argument last", &Check::name);
  ASSERT_NE(check, report.checks.end());
  EXPECT_TRUE(check->pass) << check->message;
}

TEST_F(Mistakes, AnIntegerIsAskedWithThoseThatKernelsAreShown) {
  model::Argument factor = unused_scalar(model::DType::i32, "64");
  factor.name = "factor";
  experiment.problem.arguments.push_back(factor);
  // One more or less is within the tolerance, half or twice of it is not.
  (void)unseen("c[i] = factor * (a[i] + 2 * b[i])", {{"normal", "normal", {}}}, 0.1);
  const auto check = std::ranges::find(report.checks, "argument factor", &Check::name);
  ASSERT_NE(check, report.checks.end());
  EXPECT_TRUE(check->pass) << check->message;
  experiment.problem.arguments.back().range = model::ScalarRange{63, 65};
  (void)unseen("c[i] = factor * (a[i] + 2 * b[i])", {{"normal", "normal", {}}}, 0.1);
  const auto near = std::ranges::find(report.checks, "argument factor", &Check::name);
  ASSERT_NE(near, report.checks.end());
  EXPECT_FALSE(near->pass) << "no other is legal";
}

TEST_F(SelfTest, AnArgumentThatMeansNothingIsFound) {
  experiment.problem.arguments.push_back(unused_scalar(model::DType::i32, "n + 12345"));
  EXPECT_EQ(first_failure(honest), "argument unused");
  experiment = tests::vector_add_experiment();
  experiment.problem.arguments.push_back(unused_scalar(model::DType::f32, "n"));
  EXPECT_EQ(first_failure(honest), "argument unused") << "a fraction is no size of an array";
}

TEST_F(SelfTest, AnArgumentThatIsDeclaredNeutralIsNotAskedOf) {
  experiment.problem.arguments.push_back(unused_scalar(model::DType::f32, "n"));
  experiment.problem.arguments.back().neutral = true;
  EXPECT_EQ(first_failure(honest), "");
}

TEST_F(SelfTest, SomeArgumentHasToMatter) {
  for (model::Argument& argument : experiment.problem.arguments)
    argument.neutral = argument.role != model::ArgumentRole::output;
  EXPECT_EQ(first_failure(honest), "arguments");
}

/// The same numbers once more, which the oracle need not look at.
TEST_F(SelfTest, AColumnOfAnotherArgumentIsNotAskedOf) {
  model::Argument column = experiment.problem.arguments[0];
  column.name = "column";
  column.shape = {tests::parsed("1")};
  column.strides = {tests::parsed("1")};
  experiment.problem.arguments.push_back(column);
  EXPECT_EQ(first_failure(honest), "argument column") << "numbers of its own that nobody looks at";
  model::Fill fill;
  fill.form = model::FillForm::column;
  fill.numbers = {{{}, 0.0}};
  fill.argument = 0;
  experiment.problem.arguments.back().fill = fill;
  EXPECT_EQ(first_failure(honest), "");
}

TEST_F(SelfTest, ContentsThatNeverVaryAreAskedWithOthers) {
  model::Fill fill;
  fill.form = model::FillForm::constant;
  fill.numbers = {{{}, 3.0}};
  experiment.problem.arguments[0].fill = fill;
  EXPECT_EQ(first_failure(honest), "") << "a + 3 is not a + 5.5";
}

TEST_F(SelfTest, AnArgumentThatAnyInputSetShowsMeansSomething) {
  experiment.problem.input_sets = {{"close", "normal", {{"mean", 1e6}, {"deviation", 1e-3}}},
                                   {"normal", "normal", {}}};
  EXPECT_EQ(first_failure(honest), "");
}

TEST_F(SelfTest, AnAnswerBeyondItsTypeIsTheReferencesFault) {
  experiment.problem.input_sets = {{"normal", "normal", {}},
                                   {"large", "normal", {{"mean", 3e38}, {"deviation", 1e36}}}};
  const Report report = ask(honest);
  ASSERT_NE(report.first_failure(), nullptr) << "a + b is 6e38";
  EXPECT_TRUE(report.first_failure()->reference_not_finite);
  EXPECT_EQ(report.first_failure()->argument, "c");
  experiment.problem.input_sets.back().parameters = {{"mean", 1e38}, {"deviation", 1e36}};
  EXPECT_EQ(first_failure(honest), "");
}

/// Integers that are all one number, as their fill says.
model::Argument table_of_eights() {
  model::Argument table;
  table.name = "sides";
  table.role = model::ArgumentRole::input;
  table.dtype = model::DType::i32;
  table.shape = {tests::parsed("2")};
  table.strides = {tests::parsed("1")};
  model::Fill fill;
  fill.form = model::FillForm::integers;
  fill.numbers = {{{}, 8.0}, {{}, 8.0}};
  table.fill = fill;
  return table;
}

TEST_F(SelfTest, ATableThatAlwaysHoldsOneNumberMayBeIgnored) {
  experiment.problem.arguments.push_back(table_of_eights());
  EXPECT_EQ(first_failure(honest), "");
  model::Fill& fill = *experiment.problem.arguments.back().fill;
  fill.form = model::FillForm::constant;
  fill.numbers.pop_back();
  EXPECT_EQ(first_failure(honest), "") << "constant: 8 says the same";
}

TEST_F(SelfTest, ATableOfOneNumberIsNoDataWhereNothingElseIs) {
  for (model::Argument& argument : experiment.problem.arguments)
    argument.neutral = argument.role != model::ArgumentRole::output;
  experiment.problem.arguments.push_back(table_of_eights());
  EXPECT_EQ(first_failure(honest), "argument sides");
}

TEST_F(SelfTest, SmallShapesAreDrawnWhereAllDeclaredOnesAreBig) {
  experiment.problem.check_workloads.clear();
  for (model::Workload& workload : experiment.workloads) workload.axes["n"] = 1 << 26;
  EXPECT_TRUE(ask([](const DeviceJob& job) {
                for (const model::Case& bound : job.cases) {
                  for (const model::BoundArgument& argument : bound.arguments) {
                    for (const std::int64_t size : argument.shape) EXPECT_LT(size, 1 << 20) << bound.name;
                  }
                }
                return honest(job);
              }).pass());
}

TEST_F(SelfTest, TheAccuracyClassChoosesTheInputSets) {
  experiment.accuracy_class = "narrow";
  EXPECT_TRUE(ask([](const DeviceJob& job) {
                if (job.artifact.entry == "evo_null") {
                  EXPECT_EQ(job.input_sets.size(), 1U);
                  EXPECT_EQ(job.input_sets.front().name, "shifted");
                }
                return honest(job);
              }).pass());
}

TEST_F(SelfTest, WhoeverRefusesTheReferenceKernelIsFound) {
  reference = reference_source;
  EXPECT_EQ(first_failure(honest), "");
  EXPECT_EQ(first_failure(but_for("evo_good", refused(Status::wrong, "mismatch"))), "good reference kernel");
}

TEST_F(SelfTest, AnAnswerWithoutAVerdictIsNoSuccess) {
  EXPECT_EQ(first_failure(but_for("add", DeviceResult{})), "good baseline");
  reference = reference_source;
  EXPECT_EQ(first_failure(but_for("evo_good", DeviceResult{})), "good reference kernel");
}

TEST_F(SelfTest, TheReferenceKernelIsAskedWithOtherScalarsToo) {
  reference = reference_source;
  experiment.problem.arguments.push_back(unused_scalar(model::DType::f32, "n"));
  std::size_t cases = 0;
  (void)ask([&](const DeviceJob& job) {
    if (job.artifact.entry == "evo_good") {
      cases = job.cases.size();
      EXPECT_NE(job.cases.front().arguments.back().scalar_float,
                job.cases.back().arguments.back().scalar_float);
    }
    return honest(job);
  });
  EXPECT_EQ(cases, 2U);
}

TEST_F(SelfTest, KernelsOfTheSelfTestThatDoNotCompileAreNoSuccess) {
  reference = reference_source;
  for (const auto& [entry, check] : {std::pair{"evo_null", "null nothing"},
                                     {"evo_good", "good reference kernel"},
                                     {"evo_pair", "fast and slow"}}) {
    tests::FakeCompiler broken([entry = std::string(entry)](const compile::CompileRequest& request) {
      return request.entry == entry ? tests::FakeCompiler::Result(tl::make_unexpected(
                                          model::Failure{Status::compile_error, "crash", {}}))
                                    : tests::FakeCompiler::Result(tests::FakeCompiler::plain(request));
    });
    FakeRunner runner(honest);
    const Report report = run({experiment, broken, runner, evo::tests::known(), 7, reference, false});
    ASSERT_NE(report.first_failure(), nullptr) << entry;
    EXPECT_EQ(report.first_failure()->name, check);
  }
}

TEST_F(SelfTest, ANullCandidateIsWrongForItsOwnReason) {
  EXPECT_EQ(first_failure(but_for("evo_null", refused(Status::wrong, "mismatch"))), "null nothing");
  EXPECT_EQ(first_failure(but_for("evo_null", refused(Status::wrong, "unwritten"))), "null zeros");
}

/// E4M3 has one NaN a sign, and every other poison is it.
TEST_F(SelfTest, ANanOfEightBitsMayBeThePoison) {
  const auto poisoned = [](const DeviceJob& job) {
    DeviceResult result = honest(job);
    const std::string& text = job.artifact.ptx;
    if (text.find("= 0x7f;") != std::string::npos || text.find("= __int_as_float(0x7fc") != std::string::npos)
      return refused(Status::wrong, "unwritten");
    return result;
  };
  EXPECT_EQ(first_failure(poisoned), "null NaN") << "of 32 bits no NaN is the poison";
  for (model::Argument& argument : experiment.problem.arguments) {
    if (argument.role != model::ArgumentRole::scalar) argument.dtype = model::DType::f8e4m3;
  }
  const Report report = ask(poisoned);
  bool asked = false;
  for (const Check& check : report.checks) {
    if (check.name != "null NaN") continue;
    asked = true;
    EXPECT_TRUE(check.pass) << check.message;
  }
  EXPECT_TRUE(asked);
}

TEST_F(SelfTest, APairThatIsRefusedIsFoundThoughItWasTimed) {
  EXPECT_EQ(first_failure([](const DeviceJob& job) {
              DeviceResult result = honest(job);
              if (job.artifact.entry == "evo_pair")
                result.gates.back().failure = model::Failure{Status::wrong, "mismatch", {}};
              return result;
            }),
            "fast and slow");
}

TEST_F(SelfTest, NothingAskedIsNoSuccess) {
  EXPECT_FALSE(Report{}.pass());
}

TEST_F(SelfTest, APairWithoutATimeIsFound) {
  EXPECT_EQ(first_failure([](const DeviceJob& job) {
              DeviceResult result = honest(job);
              if (job.artifact.entry == "evo_pair") result.latencies.clear();
              return result;
            }),
            "fast and slow");
}

}  // namespace
}  // namespace evo::evaluators::selftest
