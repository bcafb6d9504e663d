#include "config/stop_if.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "config/loader.hpp"
#include "config/overrides.hpp"

namespace evo::config {
namespace {

model::StopIf sentence_in(const std::string& yaml) {
  const YAML::Node root = YAML::Load("budget:\n  stop_if: " + yaml + "\n");
  const Reader file(root, "run.yaml", "");
  return read_stop_if(file.at("budget").at("stop_if"));
}

model::Error error_in(const std::string& yaml) {
  try {
    (void)sentence_in(yaml);
  } catch (const Invalid& invalid) {
    return invalid.error;
  }
  return {};
}

TEST(StopIf, SaysGainTrialsAndTimeInEitherOrder) {
  EXPECT_EQ(sentence_in("no gain of 1 % in 200 trials or 10 minutes"), (model::StopIf{0.01, 200, 600}));
  EXPECT_EQ(sentence_in("no gain of 1% in 10 minutes or 200 trials"), (model::StopIf{0.01, 200, 600}));
  EXPECT_EQ(sentence_in("'no gain of 0.5 percent in 1.5 hours'"), (model::StopIf{0.005, 0, 5400}));
  EXPECT_EQ(sentence_in("no gain in 64 trials"), (model::StopIf{0, 64, 0}));
  EXPECT_EQ(sentence_in("no gain of 2 % in 90 seconds"), (model::StopIf{0.02, 0, 90}));
}

TEST(StopIf, ItsTextReadsBackToTheSame) {
  for (const model::StopIf& one : {model::StopIf{0.01, 200, 600}, model::StopIf{0.005, 0, 5400},
                                   model::StopIf{0.03, 1, 0}, model::StopIf{0.07, 12, 3600}}) {
    EXPECT_EQ(sentence_in(model::text_of(one)), one) << model::text_of(one);
  }
  EXPECT_EQ(model::text_of(model::StopIf{}), "");
  EXPECT_EQ(model::text_of(model::StopIf{0.01, 200, 600}), "no gain of 1 % in 200 trials or 10 minutes");
}

TEST(StopIf, AWrongWordIsNamedWithThePlaceAndTheNearestRightOne) {
  const model::Error trails = error_in("no gain of 1 % in 200 trails");
  EXPECT_EQ(trails.file, "run.yaml");
  EXPECT_EQ(trails.line, 2);
  EXPECT_GT(trails.column, 0);
  EXPECT_NE(trails.message.find("did you mean 'trials'"), std::string::npos) << trails.message;
  EXPECT_NE(error_in("no gian of 1 % in 200 trials").message.find("did you mean 'gain'"), std::string::npos);
  EXPECT_NE(error_in("no gain of 1 % in 10 minuts").message.find("did you mean 'minutes'"),
            std::string::npos);
}

TEST(StopIf, WhatCannotBeMeantIsRefused) {
  for (const char* wrong :
       {"no gain", "no gain of 1 % in", "no gain of 1 in 200 trials", "no gain of 0 % in 200 trials",
        "no gain of 101 % in 200 trials", "no gain of -1 % in 200 trials", "no gain of 1 % in 0 trials",
        "no gain of 1 % in 2.5 trials", "no gain of 1 % in 20 trials or 30 trials",
        "no gain of 1 % in 20 trials or", "no gain of 1 % in 20 trials now", "no gain of nan % in 20 trials",
        "200", "''", "[1, 2]", "{trials: 200}", "no gain of 1 % in 1e300 hours"}) {
    EXPECT_EQ(error_in(wrong).line, 2) << wrong;
  }
}

TEST(StopIf, IsASettingOfTheBudget) {
  model::Experiment experiment;
  ASSERT_TRUE(apply_overrides(experiment, {{"budget.stop_if", "no gain of 1 % in 20 trials"}}));
  EXPECT_EQ(experiment.budget.stop_if, (model::StopIf{0.01, 20, 0}));
  EXPECT_FALSE(apply_overrides(experiment, {{"budget.stop_if", "never"}}));
}

}  // namespace
}  // namespace evo::config
