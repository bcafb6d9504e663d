// Experiments that are put together by hand, around a problem and perhaps a source.
#include "session/source_experiment.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "model/error.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/targets.hpp"

namespace evo::session {
namespace {

using model::ExitCode;

struct SourceTest : ::testing::Test {
  SourceTest() {
    request.source = EVO_SOURCE_DIR "/suites/attacks/controls/add_plain.cu";
    request.problem = EVO_SOURCE_DIR "/suites/attacks/problems/vector_add";
  }
  [[nodiscard]] model::Experiment read() const { return read_source_experiment(request).experiment; }
  [[nodiscard]] ExitCode code() const {
    try {
      static_cast<void>(read());
    } catch (const model::Exception& error) {
      return error.code();
    }
    return ExitCode::done;
  }
  SourceRequest request;
};

TEST_F(SourceTest, TakesWhatIsUsualForTheRest) {
  const model::Experiment made = read();
  EXPECT_EQ(made.baseline_template, "plain");
  EXPECT_EQ(made.target.name, model::default_target);
  EXPECT_EQ(made.target.name, "l4");
  EXPECT_EQ(made.device, "auto");
  EXPECT_EQ(made.accuracy_class, "fp32");
  ASSERT_EQ(made.workloads.size(), 1U);
  EXPECT_EQ(made.workloads[0].axes.at("n"), 130) << "the last of the problem's odd shapes";
  EXPECT_EQ(made.workloads[0].axes.at("c_stride"), 3);
  EXPECT_FALSE(made.input_seed);
}

TEST_F(SourceTest, TheOnlyTemplateHasTheFilesText) {
  const SourceExperiment source = read_source_experiment(request);
  ASSERT_EQ(source.experiment.problem.templates.size(), 1U);
  std::ifstream file(request.source);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(source.experiment.problem.templates[0].source, text);
  EXPECT_EQ(source.experiment.problem.templates[0].source_file, "add_plain.cu");
  EXPECT_NE(source.template_source, text);
  EXPECT_NE(source.template_source.find("add"), std::string::npos);
}

TEST_F(SourceTest, TakesWhatIsAskedFor) {
  request.kernel = "shared";
  request.device = "virtual";
  request.target = "h200";
  request.accuracy_class = "fp32";
  request.genes = {"THREADS=64"};
  request.workloads = {"n=70,c_stride=2", "n=5"};
  request.set = {"gates.repeated_launches=3"};
  request.input_seed = 12;
  const model::Experiment made = read();
  EXPECT_EQ(made.baseline_template, "shared");
  EXPECT_EQ(made.device, "virtual");
  EXPECT_EQ(made.target.name, "h200");
  ASSERT_EQ(made.workloads.size(), 2U);
  EXPECT_EQ(made.workloads[0].axes.at("c_stride"), 2);
  EXPECT_EQ(made.workloads[1].axes.at("n"), 5);
  EXPECT_EQ(made.workloads[1].axes.at("c_stride"), 1) << "the axis's initial value";
  EXPECT_EQ(made.gates.repeated_launches, 3);
  EXPECT_EQ(made.input_seed, 12U);
}

TEST_F(SourceTest, WhatNobodyKnowsIsAUsageError) {
  const std::vector<std::function<void(SourceRequest&)>> mistakes{
      [](SourceRequest& r) { r.source = "/no/such/file.cu"; },
      [](SourceRequest& r) { r.source = EVO_SOURCE_DIR; },
      [](SourceRequest& r) { r.kernel = "plane"; },
      [](SourceRequest& r) { r.target = "l5"; },
      [](SourceRequest& r) { r.accuracy_class = "fp64"; },
      [](SourceRequest& r) { r.genes = {"THREDS=64"}; },
      [](SourceRequest& r) { r.genes = {"THREADS=65"}; },
      [](SourceRequest& r) { r.genes = {"THREADS=64x"}; },
      [](SourceRequest& r) { r.genes = {"THREADS"}; },
      [](SourceRequest& r) { r.workloads = {"m=4"}; },
      [](SourceRequest& r) { r.workloads = {"n=0"}; },
      [](SourceRequest& r) { r.workloads = {"n=4,n=5"}; },
      [](SourceRequest& r) { r.workloads = {"n="}; },
      [](SourceRequest& r) { r.set = {"gates"}; }};
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    const SourceRequest correct = request;
    mistakes[i](request);
    EXPECT_EQ(code(), ExitCode::usage) << i;
    request = correct;
  }
  EXPECT_EQ(code(), ExitCode::done);
}

TEST_F(SourceTest, ACompileTimeAxisHasOneValue) {
  request.problem = EVO_SOURCE_DIR "/kernels/attention_forward";
  request.workloads = {"batch=1,heads=1,seq=16,head_dim=64", "batch=1,heads=1,seq=16,head_dim=128"};
  EXPECT_EQ(code(), ExitCode::usage);
  request.workloads[1] = "batch=1,heads=1,seq=17,head_dim=64";
  EXPECT_EQ(code(), ExitCode::done);
}

TEST_F(SourceTest, SettingsThatAreNoneAreInvalidConfiguration) {
  request.set = {"workloads=3"};
  EXPECT_EQ(code(), ExitCode::invalid_configuration);
  request.set.clear();
  request.problem = "/no/such/problem";
  EXPECT_EQ(code(), ExitCode::invalid_configuration);
}

TEST(HandMade, IsTheFirstTemplateAtItsInitialGenome) {
  const model::Problem problem = load_problem_or_throw(EVO_SOURCE_DIR "/suites/attacks/problems/vector_add");
  model::Experiment made = hand_made("mine", problem);
  EXPECT_EQ(made.name, "mine");
  EXPECT_EQ(made.baseline_template, "plain");
  EXPECT_EQ(made.baseline.text(), problem.templates[0].space.initial().text());
  EXPECT_EQ(made.problem.templates.size(), 2U);
  use_only(made, problem.templates[1]);
  EXPECT_EQ(made.baseline_template, "shared");
  ASSERT_EQ(made.problem.templates.size(), 1U);
  EXPECT_EQ(made.problem.templates[0].name, "shared");
}

TEST(HandMade, WithoutOddShapesTheAxesKeepTheirInitialValues) {
  model::Problem problem;
  EXPECT_EQ(usual_workload(problem).name, "initial");
  EXPECT_TRUE(usual_workload(problem).axes.empty());
  problem.check_workloads = {{"a", 1, {}}, {"b", 1, {}}};
  EXPECT_EQ(usual_workload(problem).name, "b");
}

TEST(SetTarget, AnUnknownOneIsInvalidConfiguration) {
  model::Experiment experiment;
  set_target_or_throw(experiment);
  EXPECT_EQ(experiment.target.name, model::default_target);
  set_target_or_throw(experiment, "h200");
  EXPECT_EQ(experiment.target.name, "h200");
  EXPECT_THROW(set_target_or_throw(experiment, "h2000"), model::Exception);
}

}  // namespace
}  // namespace evo::session
