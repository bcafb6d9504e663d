#include "session/recorded_answers.hpp"

#include <gtest/gtest.h>

#include "config/loader.hpp"

#include "tests/support/targets.hpp"

namespace evo::session {
namespace {

exporting::ExportRequest request_of(const std::string& example, const std::string& workload) {
  auto problem = config::load_problem(std::string(EVO_SOURCE_DIR) + "/examples/" + example, {});
  if (!problem) throw std::runtime_error(problem.error().text());
  exporting::ExportRequest request;
  request.problem = *problem;
  request.kernel_template = request.problem.templates.at(0);
  request.target = tests::shipped_target("l4");
  request.bound_space = model::bind_space(request.problem, request.kernel_template, {}, request.target);
  request.variant =
      model::make_variant(request.kernel_template, request.bound_space, request.bound_space.initial());
  request.workloads = {{workload, 1, {}}};
  for (const auto& axis : request.problem.axes) request.workloads[0].axes[axis.name] = *axis.initial;
  request.accuracy_class = request.problem.tolerances.at(0).accuracy_class;
  return request;
}

TEST(RecordedAnswers, AFormulaAnswersWithTheYardstickOfARun) {
  auto request = request_of("softmax_expression", "one");
  record_answers(request, 7);
  ASSERT_EQ(request.answers.size(), 1U) << request.no_answers;
  const auto& answer = request.answers.front();
  double sum = 0;
  for (const double value : answer.outputs.at(1)) sum += value;
  EXPECT_NEAR(sum, static_cast<double>(answer.outputs.at(1).size()) / 500, 1e-9)
      << "each row of 500 adds up to 1";
  ASSERT_EQ(answer.allowed.size(), request.problem.arguments.size());
  EXPECT_GT(answer.allowed.at(1).rms, 0);
  EXPECT_LT(answer.allowed.at(1).rms, 1e-6)
      << "a softmax of 500 has 0.002 in the mean: far below a percent of it";
}

TEST(RecordedAnswers, ARecordingAnswersToItsOwnInputs) {
  auto request = request_of("npy_recording", "recorded");
  record_answers(request, 7);
  ASSERT_EQ(request.answers.size(), 1U) << request.no_answers;
  auto other = request_of("npy_recording", "unheard_of");
  record_answers(other, 7);
  EXPECT_TRUE(other.answers.empty());
  EXPECT_FALSE(other.no_answers.empty());
}

TEST(RecordedAnswers, WhatARecordingDoesNotKnowIsPassedOver) {
  auto request = request_of("npy_recording", "unheard_of");
  request.workloads.front().axes["n"] = 500;  // the smallest is asked first
  request.workloads.push_back(request_of("npy_recording", "recorded").workloads.front());
  record_answers(request, 7);
  ASSERT_EQ(request.answers.size(), 1U) << request.no_answers;
  EXPECT_EQ(request.answers.front().workload.name, "recorded");
}

TEST(RecordedAnswers, ACommandThatFailsIsSaid) {
  auto request = request_of("numpy_command", "one");
  request.problem.oracles.at(0).command = {"false"};
  record_answers(request, 7);
  EXPECT_TRUE(request.answers.empty());
  EXPECT_FALSE(request.no_answers.empty());
}

TEST(RecordedAnswers, WhatIsTooBigToRecordIsSaid) {
  auto request = request_of("softmax_expression", "big");
  request.workloads[0].axes = {{"rows", 4096}, {"columns", 8192}};
  record_answers(request, 7);
  EXPECT_TRUE(request.answers.empty());
  EXPECT_FALSE(request.no_answers.empty());
}

TEST(RecordedAnswers, AKernelNeedsNone) {
  auto request = request_of("sgemm", "one");
  record_answers(request, 7);
  EXPECT_TRUE(request.answers.empty());
  EXPECT_TRUE(request.no_answers.empty());
}

}  // namespace
}  // namespace evo::session
