// A run's champion against other libraries: what is asked, what is kept, and what fails nothing.
#include "session/comparator_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include <boost/json.hpp>

#include "engine/ledger.hpp"
#include "session/final_verdict.hpp"
#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/known.hpp"

namespace evo::session {
namespace {

using evaluators::benchmark::Attempt;
using evaluators::benchmark::Outputs;

/// Another library, which adds as well, or leaves zeros.
class Library final : public evaluators::benchmark::Contender {
 public:
  Library(std::string name, double us, bool correct) : name_(std::move(name)), us_(us), correct_(correct) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<Outputs> compute(const model::Case& bound,
                                         const evaluators::oracle::InputBuffers& inputs) override {
    std::vector<std::byte> out(static_cast<std::size_t>(4 * bound.axes.at("n")));
    for (std::size_t i = 0; correct_ && i < out.size(); i += 4) {
      float a = 0, b = 0;
      std::memcpy(&a, &inputs[0][i], 4);
      std::memcpy(&b, &inputs[1][i], 4);
      a += b;
      std::memcpy(&out[i], &a, 4);
    }
    return Outputs{std::move(out)};
  }
  [[nodiscard]] Attempt<std::vector<double>> time(
      const evaluators::benchmark::TimingRequest& request) override {
    if (most_sets) *most_sets = std::max(*most_sets, request.sets);
    return std::vector<double>(static_cast<std::size_t>(request.samples), us_);
  }
  void release() override {}

  std::shared_ptr<int> most_sets{};  ///< of all that it was asked for

 private:
  std::string name_;
  double us_;
  bool correct_;
};

struct ComparatorsOfARun : ::testing::Test, testing::FakeRun {
  ComparatorsOfARun() {
    experiment.templates = {"plain"};
    experiment.search.population = 4;
    experiment.search.generations = 1;
    experiment.budget.trials = 3;
    experiment.resolved_yaml = "name: add\n";
    experiment.problem.comparator = "import torch";
    experiment.problem.folder = "where/it/stands";
    script->paired_ratio = 0.5;
    script->comparators = [this](const ComparatorJob& job) {
      // As it goes to a process of its own.
      asked.push_back(comparator_job_from_json(to_json(job)));
      return answer;
    };
  }
  std::optional<FinalVerdict> verdict() {
    return run_to_the_end(experiment, stack(), *ledger, input_seed, {}).verdict;
  }
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
  std::vector<ComparatorJob> asked;
  std::vector<TimedPairs> answer;
};

TimedPairs pairs_with(const std::string& name, double champion_us, double other_us) {
  TimedPairs pairs;
  pairs.against = name;
  pairs.kind = model::LatencyKind::measured;
  std::vector<double> slow(112, other_us);
  for (std::size_t i = 0; i < slow.size(); ++i) slow[i] *= i % 3 == 0 ? 1.001 : 1;
  EXPECT_TRUE(pairs.add({{"small", 1, std::vector<double>(112, champion_us), slow}}));
  return pairs;
}

TEST_F(ComparatorsOfARun, AreInItsVerdictAndItsLedger) {
  answer = {pairs_with("one library", 5, 10), pairs_with("a faster one", 5, 2)};
  const auto found = verdict();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->comparators.size(), 2U);
  EXPECT_EQ(found->decision(), Decision::promoted) << "they are no part of the decision";
  EXPECT_NEAR(found->comparators[0].ratio().ratio, 0.5, 1e-3);
  EXPECT_EQ(found->comparators[1].decision_at(found->margin), Decision::correct_slower);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].problem_folder, "where/it/stands");
  EXPECT_TRUE(asked[0].comparators.size() == 1);
  EXPECT_EQ(asked[0].seeds.size(), static_cast<std::size_t>(verdict_jobs));
  for (const std::uint64_t seed : asked[0].seeds)
    EXPECT_EQ(std::ranges::count(found->input_seeds, seed), 0) << "inputs of their own";
  EXPECT_EQ(asked[0].job.cases.size(), experiment.workloads.size());
  const boost::json::object document = to_json(*found);
  EXPECT_EQ(document.at("comparators").at(1).at("against"), "a faster one");
  EXPECT_EQ(document.at("comparators").at(1).at("decision"), "correct_slower");
  const auto again = find_verdict({event_of(*found, 1)}, 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), document);
  EXPECT_NE(text_of(*found).find("one library"), std::string::npos);
}

TEST_F(ComparatorsOfARun, OneThatCannotTakePartFailsNothing) {
  TimedPairs gone;
  gone.against = "comparator.py";
  gone.kind = model::LatencyKind::measured;
  gone.failure = "No module named torch";
  answer = {gone};
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->decision(), Decision::promoted);
  EXPECT_EQ(found->comparators.at(0).failure, "No module named torch");
  EXPECT_NE(text_of(*found).find("No module named torch"), std::string::npos);
}

TEST_F(ComparatorsOfARun, ColdWhereTheExperimentTimesCold) {
  experiment.gates.cache = "cold";
  ASSERT_TRUE(verdict());
  EXPECT_EQ(asked.at(0).job.settings.cache, "cold");
}

TEST_F(ComparatorsOfARun, AreTimedOnlyWhereTheExperimentAsks) {
  for (const std::string beside : {"none", "cache"}) {
    experiment.gates.final_beside = beside;
    ledger = engine::make_memory_ledger();
    const auto found = verdict();
    ASSERT_TRUE(found) << beside;
    EXPECT_TRUE(found->comparators.empty()) << beside;
  }
  EXPECT_TRUE(asked.empty());
}

TEST_F(ComparatorsOfARun, ThatAreModelledHaveAReason) {
  script->kind = "virtual";
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_TRUE(asked.empty());
  ASSERT_EQ(found->comparators.size(), 1U);
  EXPECT_EQ(found->comparators[0].against, "comparator.py");
  EXPECT_FALSE(found->comparators[0].failure.empty());
}

struct KernelsBesideAChampion : ComparatorsOfARun {
  KernelsBesideAChampion() {
    experiment.problem.comparator.clear();
    model::Template theirs = tests::vector_add_template();
    theirs.name = "theirs";
    theirs.entry = "their_add";
    theirs.source.replace(theirs.source.find("void add("), 9, "void their_add(");
    add("their kernel", theirs, 128);
  }
  void find_theirs_wrong() {
    script->verdict = [](const testing::SeenJob& seen) {
      return seen.job.artifact.entry == "their_add"
                 ? std::optional(testing::failure_of(model::Status::wrong, "mismatch"))
                 : std::nullopt;
    };
  }
  void add(const std::string& name, const model::Template& kernel, std::int64_t threads) {
    if (experiment.problem.find_template(kernel.name) == nullptr)
      experiment.problem.templates.push_back(kernel);
    model::Comparator& one = experiment.problem.comparators.emplace_back();
    one.name = name;
    one.kind = model::ComparatorKind::kernel;
    one.kernel = std::make_shared<const model::Template>(kernel);
    one.genome = kernel.space.initial();
    one.genome.set("THREADS", threads);
  }
};

TEST_F(KernelsBesideAChampion, AreProvenAndGoWithTheJob) {
  ASSERT_TRUE(verdict());
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].named);
  ASSERT_EQ(asked[0].kernels.size(), 1U);
  const ComparatorJob::Kernel& kernel = asked[0].kernels[0];
  EXPECT_EQ(kernel.name, "their kernel");
  EXPECT_EQ(kernel.job.artifact.entry, "their_add");
  ASSERT_EQ(kernel.job.cases.size(), experiment.workloads.size());
  EXPECT_EQ(kernel.job.cases[0].launch.block[0], 128);
  EXPECT_NE(kernel.job.cases[0].launch.block[0], asked[0].job.cases[0].launch.block[0]);
}

TEST_F(KernelsBesideAChampion, OneThatIsNotProvenHasItsReasonAndNoTime) {
  find_theirs_wrong();
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->decision(), Decision::promoted) << "it is no part of the decision";
  EXPECT_TRUE(asked.at(0).kernels.empty());
  ASSERT_EQ(found->comparators.size(), 1U);
  EXPECT_EQ(found->comparators[0].against, "their kernel");
  EXPECT_NE(found->comparators[0].failure.find("mismatch"), std::string::npos);
}

TEST_F(KernelsBesideAChampion, OneThatIsNotProvenIsNotModelledEither) {
  script->kind = "virtual";
  find_theirs_wrong();
  const auto found = verdict();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->comparators.size(), 1U);
  EXPECT_NE(found->comparators[0].failure.find("mismatch"), std::string::npos);
  EXPECT_TRUE(found->comparators[0].series.empty());
}

TEST_F(KernelsBesideAChampion, AreModelledAndLibrariesAreNot) {
  script->kind = "virtual";
  script->microseconds = [](const evaluators::gates::DeviceJob& job) {
    return job.artifact.entry == "their_add" ? 30.0 : 10.0;
  };
  auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_TRUE(asked.empty());
  ASSERT_EQ(found->comparators.size(), 1U);
  EXPECT_EQ(found->comparators[0].failure, "");
  EXPECT_EQ(found->comparators[0].kind, model::LatencyKind::modelled);
  EXPECT_NEAR(found->comparators[0].ratio().ratio, 1 / 3.0, 1e-9);
  EXPECT_NE(text_of(*found).find("against their kernel: 3.000x (modelled, exact): faster"), std::string::npos)
      << text_of(*found);
  experiment.problem.comparators.push_back({"a library", {"library.py"}, model::ComparatorKind::functions});
  ledger = engine::make_memory_ledger();
  found = verdict();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->comparators.size(), 2U);
  EXPECT_EQ(found->comparators[1].against, "a library");
  EXPECT_FALSE(found->comparators[1].failure.empty());
}

TEST_F(ComparatorsOfARun, AreNotAskedForWhereTheProblemBringsNone) {
  experiment.problem.comparator.clear();
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_TRUE(asked.empty());
  EXPECT_TRUE(found->comparators.empty());
}

/// The job that a run would hand over, on a device whose kernel adds.
struct TimedComparators : ComparatorsOfARun {
  void SetUp() override {
    static_cast<void>(verdict());
    job = asked.at(0);
    settings.kernel = tests::correct_kernel();
    settings.run_when_timed = false;
    settings.samples_us = {5, 5};
  }
  std::vector<TimedPairs> time() {
    device = std::make_unique<tests::FakeDevice>(settings);
    on.device = device.get();
    on.known = evo::tests::known();
    on.l2_bytes = 1 << 14;
    return time_comparators(job, std::move(on));
  }
  ComparatorJob job;
  ComparatorDevice on;
  tests::FakeDeviceSettings settings;
  std::unique_ptr<tests::FakeDevice> device;
};

TEST_F(TimedComparators, HaveAsManyPairsAsTheVerdict) {
  on.contenders.push_back(std::make_unique<Library>("a library", 10, true));
  on.looked_for = {{"a library", ""}, {"another", "it is not installed"}};
  const std::vector<TimedPairs> all = time();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].against, "another");
  EXPECT_EQ(all[0].failure, "it is not installed");
  EXPECT_EQ(all[1].failure, "");
  EXPECT_EQ(all[1].pairs(), static_cast<std::size_t>(verdict_jobs * verdict_rounds));
  EXPECT_EQ(all[1].series.size(), experiment.workloads.size());
  EXPECT_EQ(all[1].input_seeds, job.seeds);
  EXPECT_NEAR(all[1].ratio().ratio, 0.5, 1e-9);
}

TEST_F(TimedComparators, AKernelOfTheJobIsTimedWithItsOwnLaunches) {
  job.kernels = {{"their kernel", job.job}};
  std::vector<TimedPairs> all = time();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].against, "their kernel");
  EXPECT_EQ(all[0].failure, "");
  EXPECT_EQ(all[0].pairs(), static_cast<std::size_t>(verdict_jobs * verdict_rounds));
  on = {};
  job.kernels[0].job.cases.pop_back();
  all = time();
  EXPECT_NE(all.at(0).failure.find("no launches of large"), std::string::npos) << all.at(0).failure;
}

TEST_F(TimedComparators, AWrongOneHasItsReasonAndTheOthersGoOn) {
  on.contenders.push_back(std::make_unique<Library>("zeros", 1, false));
  on.contenders.push_back(std::make_unique<Library>("a library", 10, true));
  const std::vector<TimedPairs> all = time();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NE(all[0].failure.find("wrong"), std::string::npos);
  EXPECT_TRUE(all[0].series.empty());
  EXPECT_EQ(all[1].failure, "");
}

TEST_F(TimedComparators, RotateOverAsManySetsAsTheExperimentsL2Asks) {
  std::map<std::string, int> sets;
  for (const std::string cache : {"hot", "cold"}) {
    job.job.settings.cache = cache;
    auto library = std::make_unique<Library>("a library", 10, true);
    library->most_sets = std::make_shared<int>(0);
    const auto most = library->most_sets;
    on = {};
    on.contenders.push_back(std::move(library));
    EXPECT_EQ(time().at(0).cache, cache);
    sets[cache] = *most;
  }
  EXPECT_LE(sets["hot"], 8);
  EXPECT_GT(sets["cold"], 2 * sets["hot"]);
}

TEST_F(TimedComparators, AGpuThatSlowsItselfDownIsTimedAgain) {
  on.contenders.push_back(std::make_unique<Library>("a library", 10, true));
  auto looks = std::make_shared<std::atomic<int>>(0);
  on.look = [looks]() -> std::optional<GpuReading> {
    GpuReading reading;
    if ((*looks)++ == 0) reading.throttle = "thermal slowdown";
    return reading;
  };
  const std::vector<TimedPairs> all = time();
  EXPECT_EQ(all.at(0).clocks.discarded, 1U);
  EXPECT_EQ(all.at(0).pairs(), static_cast<std::size_t>(verdict_jobs * verdict_rounds));
}

TEST(ComparatorProcess, WhatItPrintsIsReadAndNothingElse) {
  TimedPairs pairs = pairs_with("a library", 5, 10);
  const std::string line = "comparators " + boost::json::serialize(boost::json::array{to_json(pairs, 0.01)});
  const auto all = comparators_in("a warning of Python's\n" + line + "\n");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(to_json(all->at(0), 0.01), to_json(pairs, 0.01));
  EXPECT_FALSE(comparators_in("Segmentation fault\n"));
  EXPECT_FALSE(comparators_in("comparators [{\"torn"));
}

}  // namespace
}  // namespace evo::session
