// What a user is told to say where a baseline is refused.
#include <gtest/gtest.h>

#include "session/baseline_hints.hpp"

namespace evo::session {
namespace {

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
    return baseline_hints(trial, experiment);
  };
  EXPECT_EQ(hint("m=100,n=4096"), "") << "the user's own";
  const std::string both = hint("m=100,n=37");
  EXPECT_NE(both.find("--axis 'n=4096,8192 multiple_of=256 min=256'"), std::string::npos) << both;
  EXPECT_NE(hint("m=7,n=4096").find("--axis 'm=100 multiple_of=4 min=4'"), std::string::npos);
  EXPECT_NE(hint("m=7,n=4096").find("--axis 'm=100 min=8'"), std::string::npos) << "n - 3 of a small n";
  EXPECT_EQ(both.find("min=8"), std::string::npos) << "37 is not that small: " << both;
  EXPECT_EQ(hint("m=8,n=512"), "") << "multiples of both tiles: the size is not at fault";
}

TEST(Hints, AWordForWritesOfTheSameNumberIsNamedWhereAllRacesAreOfThose) {
  const auto hint = [](const char* reason, std::vector<bool> equal) {
    engine::TrialRecord trial;
    trial.reason = reason;
    for (const bool each : equal) {
      model::Evidence evidence;
      evidence.kind = reason;
      if (each) evidence.details = {{"equal_writes", "yes"}};
      trial.evidence.push_back(evidence);
    }
    return baseline_hints(trial, {}).find("--equal-writes") != std::string::npos;
  };
  EXPECT_TRUE(hint("race_shared", {true, true}));
  EXPECT_TRUE(hint("race_global", {true}));
  EXPECT_FALSE(hint("race_shared", {true, false})) << "one would be left";
  EXPECT_FALSE(hint("race_shared", {}));
  EXPECT_FALSE(hint("mismatch", {true}));
}

TEST(Hints, RowsThatMayBeEmptyAreNamed) {
  model::Experiment experiment;
  model::Argument rows;
  rows.name = "ptr";
  rows.role = model::ArgumentRole::input;
  rows.dtype = model::DType::i32;
  rows.fill = model::Fill{model::FillForm::offsets, {{*model::Expression::parse("nnz"), {}}}};
  experiment.problem.arguments = {rows};
  engine::TrialRecord trial;
  trial.reason = "non_finite";
  const auto names = [&] {
    return baseline_hints(trial, experiment).find("--arg 'ptr: {fill: {offsets: [nnz, 1]}}'") !=
           std::string::npos;
  };
  EXPECT_TRUE(names());
  trial.reason = "misaligned";
  EXPECT_FALSE(names());
  trial.reason = "non_finite";
  experiment.problem.arguments[0].fill->numbers.push_back({{}, 1.0});
  EXPECT_FALSE(names()) << "none is";
}

TEST(Hints, ALineThatNothingRunsIsSaidByAFlag) {
  engine::TrialRecord trial;
  trial.reason = "incomplete_coverage";
  model::Evidence evidence;
  evidence.kind = "incomplete_coverage";
  evidence.file = "sampling.cu";
  evidence.line = 508;
  trial.evidence = {evidence};
  EXPECT_NE(baseline_hints(trial, {}).find("--unreached 'sampling.cu:508: "), std::string::npos)
      << baseline_hints(trial, {});
  trial.reason = "mismatch";
  EXPECT_EQ(baseline_hints(trial, {}).find("--unreached"), std::string::npos);
}

TEST(Hints, ScratchMemoryThatIsReadFirstMayBeginWithZeros) {
  model::Experiment experiment;
  model::Argument counter;
  counter.name = "done";
  counter.role = model::ArgumentRole::workspace;
  experiment.problem.arguments = {counter};
  const auto hint = [&](const char* reason, const char* where) {
    engine::TrialRecord trial;
    trial.reason = reason;
    model::Evidence evidence;
    evidence.message = std::string("Uninitialised read: thread (0,0,0) reads 4 bytes at ") + where;
    trial.evidence = {evidence};
    return baseline_hints(trial, experiment).find("--arg 'done: {zeroed: true}'") != std::string::npos;
  };
  EXPECT_TRUE(hint("uninitialized", "done byte offset 0"));
  EXPECT_FALSE(hint("uninitialized", "undone byte offset 0"));
  EXPECT_FALSE(hint("race_global", "done byte offset 0"));
  experiment.problem.arguments[0].zeroed = true;
  EXPECT_FALSE(hint("uninitialized", "done byte offset 0")) << "it does";
}

TEST(Hints, IndicesThatMayComeOnceAreNamedWhereThreadsRaceForAPlace) {
  model::Experiment experiment;
  model::Workload workload;
  workload.axes = {{"n", 50}, {"k", 4}};
  experiment.workloads.push_back(workload);
  model::Argument argument;
  argument.name = "row";
  argument.dtype = model::DType::i32;
  argument.role = model::ArgumentRole::input;
  argument.shape = {*model::Expression::parse("n"), *model::Expression::parse("k")};
  const auto hint = [&](const char* reason, const char* last) {
    model::Fill fill;
    fill.form = model::FillForm::integers;
    fill.numbers = {{{}, 0.0}, {*model::Expression::parse(last), {}}};
    argument.fill = fill;
    experiment.problem.arguments = {argument};
    engine::TrialRecord trial;
    trial.reason = reason;
    return baseline_hints(trial, experiment);
  };
  const std::string once = hint("race_global", "n * k - 1");
  EXPECT_NE(once.find("--arg 'row: {fill: {permutation: n * k}}'"), std::string::npos) << once;
  const std::string some = hint("race_global", "3 * n * k - 1");
  EXPECT_NE(some.find("--arg 'row: {fill: {distinct: [0, 3 * n * k - 1]}}'"), std::string::npos) << some;
  EXPECT_EQ(hint("race_global", "n - 1"), "") << "fewer places than indices: some come twice";
  EXPECT_EQ(hint("race_shared", "n * k - 1"), "");
}

TEST(Hints, WhatAKernelSpillsMayBeAllowed) {
  const auto hint = [](const char* reason, const char* message) {
    engine::TrialRecord trial;
    trial.reason = reason;
    model::Evidence evidence;
    evidence.message = message;
    trial.evidence = {evidence};
    return baseline_hints(trial, {});
  };
  const char* words = "72 bytes of spill stores and 80 of spill loads; 0 are allowed";
  EXPECT_NE(hint("spills", words).find("--set gates.max_spill_bytes=152"), std::string::npos);
  EXPECT_EQ(hint("stack", words), "");
  EXPECT_EQ(hint("spills", "many"), "");
}

TEST(Hints, AnArrayOfTheKernelsOwnHoldsSoMany) {
  model::Experiment experiment;
  model::Workload workload;
  workload.axes = {{"n", 60}, {"w", 8}};
  experiment.workloads.push_back(workload);
  const auto hint = [&](const char* axes, const char* where) {
    engine::TrialRecord trial;
    trial.reason = "out_of_bounds";
    model::Evidence evidence;
    evidence.message = std::string("Out of bounds: thread (0,0,0) writes 4 bytes at ") + where;
    evidence.details = {{"axes", axes}};
    trial.evidence = {evidence};
    return baseline_hints(trial, experiment);
  };
  const std::string own = hint("n=12,w=64", "local byte offset 260");
  EXPECT_NE(own.find("--axis 'w=8 max=8'"), std::string::npos) << own;
  EXPECT_EQ(own.find("--axis 'n="), std::string::npos) << "smaller than the user's: " << own;
  EXPECT_EQ(hint("n=12,w=64", "x byte offset 260").find("max="), std::string::npos);
  EXPECT_EQ(hint("n=12,w=4", "shared byte offset 260").find("max="), std::string::npos);
}

TEST(Hints, RowsOfWholeVectorsAreNamedWhereAnAddressIsNone) {
  model::Experiment experiment;
  model::Workload workload;
  workload.axes = {{"n", 1000}, {"rows", 64}};
  experiment.workloads.push_back(workload);
  model::Argument argument;
  argument.name = "x";
  argument.dtype = model::DType::f32;
  for (const char* size : {"rows", "n"}) argument.shape.push_back(*model::Expression::parse(size));
  experiment.problem.arguments.push_back(argument);
  const auto hint = [&](const char* axes, const char* where, const char* reason = "misaligned") {
    engine::TrialRecord trial;
    trial.reason = reason;
    model::Evidence evidence;
    evidence.message = std::string("reads 16 bytes at ") + where;
    evidence.details = {{"axes", axes}};
    trial.evidence = {evidence};
    return baseline_hints(trial, experiment);
  };
  const std::string own = hint("n=17,rows=3", "x byte offset 68");
  EXPECT_NE(own.find("--axis 'n=1000 multiple_of=4 min=4'"), std::string::npos) << own;
  EXPECT_EQ(own.find("rows=64"), std::string::npos) << "rows may be as many as there are: " << own;
  EXPECT_EQ(hint("n=16,rows=3", "x byte offset 68"), "") << "whole vectors: the size is not at fault";
  EXPECT_EQ(hint("n=17,rows=3", "y byte offset 68"), "");
  EXPECT_EQ(hint("n=17,rows=3", "x byte offset 68", "race_global"), "");
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
  const std::string hint = baseline_hints(trial, experiment);
  EXPECT_NE(hint.find("--arg 'x: {fill"), std::string::npos) << hint;
  EXPECT_NE(hint.find("y hold"), std::string::npos) << hint;
}

TEST(Hints, WhatIsSaidOfAnArrayIsNotAskedForAgain) {
  model::Experiment experiment;
  model::Argument filter;
  filter.name = "filter";
  filter.role = model::ArgumentRole::input;
  filter.dtype = model::DType::f32;
  experiment.problem.arguments = {filter};
  engine::TrialRecord trial;
  trial.reason = "mismatch";
  model::Evidence evidence;
  evidence.details = {{"input_set", "cancellation of filter"}};
  trial.evidence = {evidence};
  EXPECT_NE(baseline_hints(trial, experiment).find("--arg 'filter: {fill:"), std::string::npos);
  experiment.problem.arguments[0].fill.emplace();
  EXPECT_EQ(baseline_hints(trial, experiment), "");
}

TEST(Hints, AKernelForOneValueOfAScalarIsSaidSo) {
  engine::TrialRecord trial;
  trial.reason = "mismatch";
  model::Evidence evidence;
  evidence.details = {{"scalar", "step is 1 instead of 2, which the reference answers; and more"}};
  trial.evidence = {evidence};
  const std::string hint = baseline_hints(trial, model::Experiment{});
  EXPECT_NE(hint.find("--arg 'step: {value: 2, fixed: true}'"), std::string::npos) << hint;
}

// Sums in any order: of the outputs, the first that is not said to be so.
TEST(Hints, LaunchesThatDifferAreToldWhatToSay) {
  model::Experiment experiment;
  for (const char* name : {"x", "sums", "counts"}) {
    model::Argument argument;
    argument.name = name;
    argument.role = name[0] == 'x' ? model::ArgumentRole::input : model::ArgumentRole::output;
    argument.dtype = model::DType::f32;
    argument.reproducible = true;
    experiment.problem.arguments.push_back(argument);
  }
  engine::TrialRecord trial;
  trial.reason = "repeat_differs";
  EXPECT_NE(baseline_hints(trial, experiment).find("sums: {reproducible: false}"), std::string::npos);
  experiment.problem.arguments[1].reproducible = false;
  EXPECT_NE(baseline_hints(trial, experiment).find("counts: {reproducible: false}"), std::string::npos);
  trial.reason = "mismatch";
  EXPECT_EQ(baseline_hints(trial, experiment), "");
}

TEST(Hints, AnIntegerFarFromItsValueIsFound) {
  const auto found = [](const char* key, const char* text) {
    engine::TrialRecord trial;
    model::Evidence evidence;
    evidence.details = {{"case", "wide"}, {key, text}};
    trial.evidence = {evidence};
    return far_integer(trial);
  };
  const auto far = found("far_integer", "size=-320");
  ASSERT_TRUE(far.has_value());
  EXPECT_EQ(far->argument, "size");
  EXPECT_EQ(far->shown, -320);
  const auto ranged = found("ranged_integer", "size=6");
  ASSERT_TRUE(ranged.has_value()) << "who has made the range takes it back";
  EXPECT_EQ(ranged->shown, 6);
  EXPECT_FALSE(found("scalar", "size is 32 instead of 64, which the reference answers"));
  EXPECT_FALSE(found("far_integer", "size=many"));
}

TEST(Hints, AGridThatRoundsDownLeavesTheRestToNobody) {
  model::Experiment experiment;
  model::Workload workload;
  workload.axes = {{"n", 400}};
  experiment.workloads.push_back(workload);
  model::Template kernel;
  kernel.name = "tuned";
  experiment.problem.templates.push_back(kernel);
  const auto hint = [&](const char* grid, const char* axes, const char* reason = "unwritten") {
    experiment.problem.templates[0].launch.grid[0] = model::Expression::parse(grid).value();
    engine::TrialRecord trial;
    trial.template_name = "tuned";
    trial.reason = reason;
    model::Evidence evidence;
    evidence.details = {{"axes", axes}};
    trial.evidence = {evidence};
    return baseline_hints(trial, experiment);
  };
  EXPECT_NE(hint("n / 8", "n=17").find("--axis 'n=400 multiple_of=8 min=8'"), std::string::npos);
  EXPECT_NE(hint("n / 8", "n=17", "mismatch").find("multiple_of=8"), std::string::npos);
  EXPECT_EQ(hint("n / 8", "n=16").find("multiple_of"), std::string::npos) << "whole blocks";
  EXPECT_EQ(hint("ceil_div(n, 8)", "n=17").find("multiple_of"), std::string::npos) << "rounded up";
  EXPECT_EQ(hint("8", "n=17").find("multiple_of"), std::string::npos) << "a loop over the grid";
  EXPECT_EQ(hint("n / 8", "n=17", "race_global").find("multiple_of"), std::string::npos);
}

TEST(Hints, AKernelThatComputesIn16BitsIsToldHowToSayThatItDoes) {
  model::Experiment experiment;
  model::Argument out;
  out.name = "out";
  out.role = model::ArgumentRole::output;
  out.dtype = model::DType::f16;
  experiment.problem.arguments = {out};
  experiment.problem.tolerances.resize(1);
  experiment.problem.tolerances[0].automatic = true;
  const auto hint = [&](const char* reason, const char* message, const char* times) {
    engine::TrialRecord trial;
    trial.reason = reason;
    model::Evidence evidence;
    evidence.message = message;
    evidence.details = {{"times_bound", times}};
    trial.evidence = {evidence};
    return baseline_hints(trial, experiment).find("--compute ") != std::string::npos;
  };
  EXPECT_TRUE(hint("mismatch", "out: relative Frobenius error 0.001", "1.3"));
  EXPECT_FALSE(hint("mismatch", "out: relative Frobenius error 1", "1300")) << "no rounding is that large";
  EXPECT_FALSE(hint("mismatch", "outer: relative Frobenius error 0.001", "1.3")) << "another argument";
  EXPECT_FALSE(hint("repeat_differs", "out: differs", "1.3"));
  experiment.problem.computes_in = model::DType::f16;
  EXPECT_FALSE(hint("mismatch", "out: relative Frobenius error 0.001", "1.3")) << "somebody has said so";
  experiment.problem.computes_in.reset();
  experiment.problem.tolerances[0].automatic = false;
  EXPECT_FALSE(hint("mismatch", "out: relative Frobenius error 0.001", "1.3")) << "somebody has said how far";
  experiment.problem.tolerances[0].automatic = true;
  experiment.problem.arguments[0].dtype = model::DType::f32;
  EXPECT_FALSE(hint("mismatch", "out: relative Frobenius error 0.001", "1.3"));
}

}  // namespace
}  // namespace evo::session
