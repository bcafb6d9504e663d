// Shapes that no trial has seen.
#include "session/held_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

model::Axis axis(const std::string& name) {
  model::Axis made;
  made.name = name;
  return made;
}

/// rows x columns with a compile-time axis and one of a list.
model::Experiment experiment() {
  model::Experiment made;
  made.problem.axes = {axis("rows"), axis("columns"), axis("fixed"), axis("listed")};
  made.problem.axes[2].compile_time = true;
  made.problem.axes[3].allowed = {5000, 6000};
  made.workloads = {{"a", 3, {{"rows", 1000}, {"columns", 7}, {"fixed", 4000}, {"listed", 5000}}},
                    {"b", 1, {{"rows", 8}, {"columns", 64}, {"fixed", 4000}, {"listed", 6000}}}};
  return made;
}

TEST(HeldOutWorkloads, TheLargestFreeAxisIsDrawnBelowItsValueTwice) {
  const model::Experiment from = experiment();
  for (std::uint64_t entropy = 0; entropy < 200; ++entropy) {
    const std::vector<model::Workload> made = held_out_workloads(from, entropy);
    ASSERT_EQ(made.size(), 4U);
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_GE(made[i].axes.at("rows"), 500);
      EXPECT_LT(made[i].axes.at("rows"), 1000);
      EXPECT_GE(made[2 + i].axes.at("columns"), 32);
      EXPECT_LT(made[2 + i].axes.at("columns"), 64);
    }
    for (const model::Workload& workload : made) {
      EXPECT_EQ(workload.axes.at("fixed"), 4000);
      EXPECT_EQ(workload.weight, 1);
      for (const model::Workload& seen : from.workloads) EXPECT_NE(workload.axes, seen.axes);
    }
    EXPECT_EQ(made[0].axes.at("listed"), 5000);
    EXPECT_EQ(made[2].axes.at("listed"), 6000);
  }
}

TEST(HeldOutWorkloads, TheSecondTimeTheOtherFreeAxesAreOneLarger) {
  const std::vector<model::Workload> made = held_out_workloads(experiment(), 1);
  EXPECT_EQ(made[0].axes.at("columns"), 7);
  EXPECT_EQ(made[1].axes.at("columns"), 8);
  EXPECT_EQ(made[2].axes.at("rows"), 8);
  EXPECT_EQ(made[3].axes.at("rows"), 9);
}

TEST(HeldOutWorkloads, DependOnTheEntropyOnly) {
  const auto rows = [](std::uint64_t entropy) {
    return held_out_workloads(experiment(), entropy).at(0).axes.at("rows");
  };
  EXPECT_EQ(rows(5), rows(5));
  std::set<std::int64_t> drawn;
  for (std::uint64_t entropy = 0; entropy < 50; ++entropy) drawn.insert(rows(entropy));
  EXPECT_GT(drawn.size(), 30U);
  // Of two workloads with the same axis, each has its own draw.
  model::Experiment twice = experiment();
  twice.workloads[1] = twice.workloads[0];
  int same = 0;
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const auto made = held_out_workloads(twice, entropy);
    same += made[0].axes.at("rows") == made[2].axes.at("rows") ? 1 : 0;
  }
  EXPECT_LT(same, 3);
}

TEST(HeldOutWorkloads, KeepToTheBoundsOfTheirAxes) {
  model::Experiment from = experiment();
  from.problem.axes[0].multiple_of = 8;
  from.problem.axes[0].minimum = 960;
  from.problem.axes[1].maximum = 7;
  for (std::uint64_t entropy = 0; entropy < 100; ++entropy) {
    const auto made = held_out_workloads(from, entropy);
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_EQ(made[i].axes.at("rows") % 8, 0);
      EXPECT_GE(made[i].axes.at("rows"), 960);
      EXPECT_LE(made[i].axes.at("columns"), 7);
    }
  }
}

TEST(HeldOutWorkloads, AMultipleIsKeptAtTheLeastValue) {
  model::Experiment from = experiment();
  from.problem.axes[0].minimum = 1;
  from.problem.axes[0].multiple_of = 64;
  from.workloads = {{"small", 1, {{"rows", 64}, {"columns", 7}, {"fixed", 4000}, {"listed", 5000}}}};
  for (std::uint64_t entropy = 0; entropy < 50; ++entropy) {
    for (const model::Workload& made : held_out_workloads(from, entropy))
      EXPECT_EQ(made.axes.at("rows") % 64, 0) << made.name;
  }
}

TEST(HeldOutWorkloads, NoFreeAxisNoShape) {
  model::Experiment from = experiment();
  for (model::Axis& each : from.problem.axes) each.compile_time = true;
  EXPECT_TRUE(held_out_workloads(from, 1).empty());
}

TEST(CheckHeldOut, TheLadderSeesThemWithOtherInputsInPlaceOfTheOddShapes) {
  testing::FakeRun run;
  testing::ScriptedRunner runner(run.script, true);
  const HeldOut held_out =
      check_held_out(run.experiment, run.stack(), runner, tests::vector_add_variant(run.experiment), 12345);
  EXPECT_TRUE(held_out.report.valid());
  EXPECT_EQ(held_out.entropy, 12345U);
  ASSERT_EQ(run.script->jobs.size(), 1U);
  const evaluators::gates::DeviceJob& job = run.script->jobs[0].job;
  EXPECT_TRUE(run.script->jobs[0].fresh);
  EXPECT_EQ(job.input_seed, 12345U);
  EXPECT_EQ(job.perturbed_launches, run.experiment.gates.champion_launches);
  const auto has = [&](const std::string& name) {
    return std::any_of(job.cases.begin(), job.cases.end(),
                       [&](const model::Case& bound) { return bound.name == name; });
  };
  EXPECT_TRUE(has("small"));
  EXPECT_TRUE(has("large"));
  ASSERT_EQ(held_out.workloads.size(), 4U);
  for (const model::Workload& workload : held_out.workloads) EXPECT_TRUE(has(workload.name)) << workload.name;
  EXPECT_FALSE(has("strided")) << "the problem's own odd shapes were seen by every trial";
}

}  // namespace
}  // namespace evo::session
