// What evo tune mends of its own guesses, and what it says to do about a refused baseline: without a run.
#include <gtest/gtest.h>

#include "cli/baseline_hints.hpp"
#include "cli/tune_settle.hpp"

namespace evo::intake {
namespace {

using cli::DraftSettler;
using evaluators::selftest::Check;
using Keys = std::vector<std::pair<std::string, std::string>>;

const Keys positive{{"fill", "{uniform: [0.1, 2]}"}};

Draft two_inputs() {
  Draft draft;
  for (const char* name : {"x", "y"}) {
    DraftArgument input;
    input.name = name;
    input.role = "input";
    input.dtype = "f32";
    draft.arguments.push_back(input);
  }
  DraftArgument alpha;
  alpha.name = "alpha";
  alpha.role = "scalar";
  alpha.dtype = "f32";
  alpha.value = "1.25";
  draft.arguments.push_back(alpha);
  draft.notes = {"of another step"};
  return draft;
}

Check not_finite() {
  Check check;
  check.reference_not_finite = true;
  return check;
}
Check about(const char* argument) {
  Check check;
  check.argument = argument;
  return check;
}

TEST(Settle, OneInputAfterAnotherGetsPositiveNumbersThenAll) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  const auto has = [&](std::size_t at) { return draft.arguments[at].keys == positive; };
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(has(0) && !has(1));
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(!has(0) && has(1));
  EXPECT_EQ(draft.notes.size(), 2U);
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(has(0) && has(1));
  EXPECT_FALSE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(!has(0) && !has(1));
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
}

TEST(Settle, AScalarGetsItsFirstValueBackWhereNoOtherHelps) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  DraftArgument& alpha = draft.arguments[2];
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "0.25");
  EXPECT_EQ(draft.notes.size(), 2U) << "a value that is kept is told";
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "4.0");
  EXPECT_EQ(draft.notes.size(), 2U);
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_EQ(alpha.keys, (Keys{{"neutral", "true"}}));
  EXPECT_FALSE(settler.mend(draft, about("alpha")));
  EXPECT_TRUE(alpha.keys.empty());
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
}

TEST(Settle, AValueWithoutAnswerIsTakenBack) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  DraftArgument& alpha = draft.arguments[2];
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_TRUE(draft.arguments[0].keys.empty()) << "the inputs are not at fault";
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.keys, (Keys{{"neutral", "true"}}));
}

TEST(Settle, WhatWasToldStays) {
  for (const char* flag : {"alpha : 1.5", "alpha: 1.5", "d: {rows: 3, alpha: 1.5}"}) {
    Draft draft = two_inputs();
    if (*flag == 'd') draft.arguments[2].place.path = "d.alpha";
    Request request;
    request.arguments = {flag};
    EXPECT_FALSE(DraftSettler{request}.mend(draft, about("alpha"))) << flag;
    EXPECT_EQ(draft.arguments[2].value, "1.25");
  }
}

TEST(Hints, ASizeIsNoneOfTheUsersOnlyWhereItIsNot) {
  model::Experiment experiment;
  for (const std::int64_t n : {4096, 8192}) {
    model::Workload workload;
    workload.axes = {{"m", 100}, {"n", n}};
    experiment.workloads.push_back(workload);
  }
  const auto hint = [&](const char* axes) {
    engine::TrialRecord trial;
    trial.reason = "out_of_bounds";
    model::Evidence evidence;
    evidence.details = {{"axes", axes}};
    trial.evidence = {evidence};
    return cli::baseline_hints(trial, experiment);
  };
  EXPECT_EQ(hint("m=100,n=4096"), "") << "the user's own";
  const std::string both = hint("m=100,n=37");
  EXPECT_NE(both.find("--axis 'n=4096,8192 multiple_of=256 min=256'"), std::string::npos) << both;
  EXPECT_NE(hint("m=7,n=4096").find("--axis 'm=100 multiple_of=4 min=4'"), std::string::npos);
  EXPECT_EQ(hint("m=8,n=512"), "") << "multiples of both tiles: the size is not at fault";
}

TEST(Hints, AllArraysWithDataOfEvosOwnAreNamed) {
  model::Experiment experiment;
  for (const char* name : {"x", "y"}) {
    model::Argument argument;
    argument.name = name;
    argument.role = model::ArgumentRole::input;
    argument.dtype = model::DType::f32;
    experiment.problem.arguments.push_back(argument);
  }
  engine::TrialRecord trial;
  trial.reason = "non_finite";
  model::Evidence evidence;
  evidence.details = {{"input_set", "denormal everywhere"}};
  trial.evidence = {evidence};
  const std::string hint = cli::baseline_hints(trial, experiment);
  EXPECT_NE(hint.find("--arg 'x: {fill"), std::string::npos) << hint;
  EXPECT_NE(hint.find("y hold"), std::string::npos) << hint;
}

TEST(Hints, AKernelForOneValueOfAScalarIsSaidSo) {
  engine::TrialRecord trial;
  trial.reason = "mismatch";
  model::Evidence evidence;
  evidence.details = {{"scalar", "step is 1 instead of 2, which the reference answers; and more"}};
  trial.evidence = {evidence};
  const std::string hint = cli::baseline_hints(trial, model::Experiment{});
  EXPECT_NE(hint.find("--arg 'step: {value: 2, fixed: true}'"), std::string::npos) << hint;
}

}  // namespace
}  // namespace evo::intake
