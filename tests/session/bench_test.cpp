// Side by side on a fake device: who takes part, what is skipped, and what is no number.
#include "session/bench.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "session/kernel_comparators.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using evaluators::benchmark::Attempt;
using evaluators::benchmark::Standing;

/// Another library; its output is all zero.
class Other final : public evaluators::benchmark::Contender {
 public:
  explicit Other(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<evaluators::benchmark::Outputs> compute(
      const model::Case& bound, const evaluators::oracle::InputBuffers&) override {
    return evaluators::benchmark::Outputs{
        std::vector<std::byte>(static_cast<std::size_t>(4 * bound.axes.at("n")))};
  }
  [[nodiscard]] Attempt<std::vector<double>> time(
      const evaluators::benchmark::TimingRequest& request) override {
    return std::vector<double>(static_cast<std::size_t>(request.samples), 3.0);
  }
  void release() override {}

 private:
  std::string name_;
};

struct BenchTest : ::testing::Test {
  BenchTest() {
    subject.experiment = tests::vector_add_experiment();
    model::Genome other = subject.experiment.baseline;
    other.set("THREADS", std::int64_t{32});
    subject.variants = {{"champion", "c1", "plain", other},
                        {"baseline", "b1", "plain", subject.experiment.baseline}};
    settings.run_when_timed = false;
    request.rounds = 2;
    // The launch floor has no arguments.
    settings.kernel_of_cubin["evo_launch_floor"] = [](tests::FakeLaunch&) {
      return evaluators::devices::LaunchReport{};
    };
    settings.kernel =
        [](tests::FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      tests::vector_add(launch);
      return evaluators::devices::LaunchReport{};
    };
  }
  BenchReport measure(const std::stop_token& stop = {}) {
    device = std::make_unique<tests::FakeDevice>(settings);
    BenchDevice on;
    on.device = device.get();
    on.compiler = &compiler;
    on.l2_bytes = 1 << 14;
    on.comparators = {{"a library", ""}};
    for (const std::string& name : others) on.others.push_back(std::make_unique<Other>(name));
    if (with_kernels) add_kernels(on, subject.experiment);
    return measure_side_by_side(subject, request, std::move(on), stop,
                                [this](const std::string& line) { told.push_back(line); });
  }
  static const Standing* find(const BenchCase& of, const std::string& contender) {
    for (const Standing& standing : of.standings) {
      if (standing.contender == contender) return &standing;
    }
    return nullptr;
  }
  BenchSubject subject;
  BenchRequest request;
  tests::FakeDeviceSettings settings;
  /// Artifacts are told apart by their entries.
  tests::FakeCompiler compiler{[](const tests::FakeCompiler::Request& wanted) -> tests::FakeCompiler::Result {
    model::Artifact artifact = tests::FakeCompiler::plain(wanted);
    artifact.cubin = wanted.entry;
    artifact.resources = {.registers = 32, .static_smem_bytes = 256};
    return artifact;
  }};
  std::unique_ptr<tests::FakeDevice> device;
  std::vector<std::string> others, told;
  bool with_kernels = false;
};

TEST_F(BenchTest, EveryWorkloadIsMeasuredWithEveryVariantAndTheFloor) {
  const BenchReport report = measure();
  EXPECT_EQ(report.experiment, "add");
  EXPECT_EQ(report.device_name, "fake GPU");
  EXPECT_EQ(report.toolchain, "fake compiler 1.0");
  EXPECT_EQ(report.l2_bytes, 1 << 14);
  EXPECT_EQ(report.comparators.at(0).name, "a library");
  EXPECT_EQ(report.variants,
            (std::vector<std::pair<std::string, std::string>>{{"champion", "c1"}, {"baseline", "b1"}}));
  ASSERT_EQ(report.cases.size(), 2U);
  EXPECT_EQ(report.cases[0].workload, "small");
  EXPECT_EQ(report.cases[1].workload, "large");
  EXPECT_EQ(report.cases[1].flops, 1000);
  EXPECT_EQ(told.size(), 2U);
  for (const BenchCase& measured : report.cases) {
    EXPECT_EQ(measured.skipped, "");
    EXPECT_FALSE(measured.sweep);
    ASSERT_EQ(measured.standings.size(), 3U);
    for (const char* name : {"champion", "baseline"}) {
      ASSERT_NE(find(measured, name), nullptr);
      EXPECT_EQ(find(measured, name)->unavailable, "");
      EXPECT_TRUE(find(measured, name)->hot);
    }
    EXPECT_FALSE(find(measured, "launch floor")->check) << "it computes nothing";
  }
}

TEST_F(BenchTest, AWrongOutputHasNoNumber) {
  others = {"zeros"};
  const BenchReport report = measure();
  const Standing* zeros = find(report.cases.at(0), "zeros");
  ASSERT_NE(zeros, nullptr);
  EXPECT_FALSE(zeros->hot);
  EXPECT_NE(zeros->unavailable, "");
  EXPECT_TRUE(find(report.cases[0], "champion")->hot) << "it does not stop the others";
}

TEST_F(BenchTest, AVariantThatIsIllegalThereSaysWhy) {
  subject.variants[0].genome.set("THREADS", std::int64_t{128});
  subject.variants[0].genome.set("EXTRA_SMEM", std::int64_t{1024});
  const BenchReport report = measure();
  const Standing* champion = find(report.cases.at(0), "champion");
  ASSERT_NE(champion, nullptr);
  EXPECT_NE(champion->unavailable.find("128 threads need it all"), std::string::npos)
      << champion->unavailable;
  EXPECT_TRUE(find(report.cases[0], "baseline")->hot);
}

TEST_F(BenchTest, WhereNoVariantIsLegalTheCaseIsSkipped) {
  subject.variants.erase(subject.variants.begin());
  subject.variants[0].template_name = "gone";
  const BenchReport report = measure();
  EXPECT_NE(report.cases.at(0).skipped.find("no template gone"), std::string::npos);
  EXPECT_TRUE(report.cases[0].standings.empty());
}

TEST_F(BenchTest, AStopLeavesTheRestOut) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(measure(stop.get_token()).cases.empty());
}

TEST_F(BenchTest, ASweepIsTheProblems) {
  request.sweep = "";
  try {
    static_cast<void>(measure());
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
  }
}

TEST(FindSweep, ByNameOrTheFirst) {
  model::Problem problem;
  EXPECT_THROW((void)find_sweep(problem, ""), model::Exception);
  problem.sweeps = {{"short", {{"n1", 1, {{"n", 1}}}}}, {"long", {{"n9", 1, {{"n", 9}}}}}};
  EXPECT_EQ(find_sweep(problem, "").workloads.front().name, "n1");
  EXPECT_EQ(find_sweep(problem, "long").workloads.front().name, "n9");
  try {
    (void)find_sweep(problem, "lng");
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("'long'"), std::string::npos) << error.what();
  }
}

TEST(ModelledBench, ARowAVariantAndRefusedIfAllAre) {
  testing::FakeRun run;
  BenchSubject subject;
  subject.experiment = run.experiment;
  subject.variants = {{"baseline", "b1", "plain", run.experiment.baseline}};
  const BenchReport good = modelled_bench(subject, {}, run.stack());
  ASSERT_EQ(good.modelled.size(), 1U);
  EXPECT_EQ(good.modelled[0].latencies.size(), 2U);
  EXPECT_FALSE(good.all_refused());
  subject.variants.push_back(subject.variants[0]);
  int so_far = 0;
  run.script->verdict = [&so_far](const testing::SeenJob&) {
    return ++so_far != 2 ? std::optional(testing::failure_of(model::Status::wrong, "mismatch"))
                         : std::nullopt;
  };
  const BenchReport half = modelled_bench(subject, {}, run.stack());
  EXPECT_NE(half.modelled.at(0).unavailable.find("mismatch"), std::string::npos);
  EXPECT_EQ(half.modelled.at(1).unavailable, "");
  EXPECT_FALSE(half.all_refused());
  EXPECT_TRUE(modelled_bench(subject, {}, run.stack()).all_refused());
  EXPECT_FALSE(BenchReport{}.all_refused());
}

TEST(ModelledBench, KernelsThatAreComparatorsHaveRowsOfTheirOwn) {
  testing::FakeRun run;
  model::Comparator one;
  one.name = "theirs";
  one.kind = model::ComparatorKind::kernel;
  one.kernel = std::make_shared<const model::Template>(run.experiment.problem.templates.front());
  one.genome = run.experiment.baseline;
  one.genome.set("THREADS", std::int64_t{32});
  run.experiment.problem.comparators = {one};
  BenchSubject subject;
  subject.experiment = run.experiment;
  subject.variants = {{"baseline", "b1", "plain", run.experiment.baseline}};
  const BenchReport both = modelled_bench(subject, {}, run.stack());
  ASSERT_EQ(both.modelled.size(), 2U);
  EXPECT_EQ(both.modelled[1].contender, "theirs");
  EXPECT_EQ(both.modelled[1].latencies.size(), 2U);
  BenchRequest alone;
  alone.no_comparators = true;
  EXPECT_EQ(modelled_bench(subject, alone, run.stack()).modelled.size(), 1U);
  int so_far = 0;
  run.script->verdict = [&so_far](const testing::SeenJob&) {
    return ++so_far == 1 ? std::optional(testing::failure_of(model::Status::wrong, "mismatch"))
                         : std::nullopt;
  };
  EXPECT_TRUE(modelled_bench(subject, {}, run.stack()).all_refused()) << "another's kernel is no variant";
}

TEST_F(BenchTest, AKernelThatIsAComparatorIsCompiledForEveryWorkload) {
  model::Comparator one;
  one.name = "theirs";
  one.kind = model::ComparatorKind::kernel;
  one.kernel = std::make_shared<const model::Template>(subject.experiment.problem.templates.front());
  one.genome = subject.experiment.baseline;
  subject.experiment.problem.comparators = {one};
  with_kernels = true;
  const BenchReport report = measure();
  EXPECT_EQ(report.comparators.back().name, "theirs");
  for (const BenchCase& measured : report.cases) {
    const Standing* standing = find(measured, "theirs");
    ASSERT_NE(standing, nullptr);
    EXPECT_EQ(standing->unavailable, "");
    EXPECT_TRUE(standing->hot);
  }
}

}  // namespace
}  // namespace evo::session
