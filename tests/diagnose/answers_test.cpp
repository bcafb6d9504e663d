// Outputs that a known mistake has made are told from the outputs alone.
#include "diagnose/answers.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/diagnose/support.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {
namespace {

namespace oracle = evaluators::oracle;
using diagnose::Observation;
using diagnose::Subject;

Subject subject_of(const std::string& name, const char* template_name) {
  auto problem = config::load_problem(EVO_SOURCE_DIR "/suites/attacks/problems/" + name, {});
  if (!problem) throw std::runtime_error(problem.error().text());
  return make_subject(*problem, template_name);
}

/// As if a kernel had left `values` in the only output.
Observation observed(
    const Subject& subject, const model::Workload& workload,
    const std::function<double(const std::vector<std::vector<double>>&, std::size_t)>& value) {
  Observation seen;
  seen.bound = *model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                 subject.candidate.genome, workload);
  seen.inputs =
      *oracle::make_inputs(evo::tests::known(), seen.bound, subject.input_sets.front(), {.seed = 1});
  seen.references =
      *evo::tests::known().find_oracle(subject.problem.oracle)->compute(seen.bound, seen.inputs);
  seen.contents.resize(seen.bound.arguments.size());
  seen.comparisons.resize(seen.bound.arguments.size());
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < seen.bound.arguments.size(); ++i) {
    const bool input = seen.bound.arguments[i].role == model::ArgumentRole::input;
    inputs.push_back(input ? oracle::load_array(seen.bound.arguments[i], seen.inputs[i])
                           : std::vector<double>());
  }
  for (std::size_t i = 0; i < seen.bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = seen.bound.arguments[i];
    if (argument.role != model::ArgumentRole::output) continue;
    seen.comparisons[i].emplace();
    seen.contents[i].resize(static_cast<std::size_t>(oracle::buffer_bytes(argument)));
    const auto offsets = oracle::element_offsets(argument);
    for (std::size_t e = 0; e < offsets.size(); ++e)
      oracle::store_element(argument.dtype, value(inputs, e),
                            seen.contents[i].data() + offsets[e] * model::size_of(argument.dtype));
  }
  return seen;
}

std::vector<std::string> names(const std::vector<diagnose::Answer>& answers) {
  std::vector<std::string> all;
  for (const auto& answer : answers) all.push_back(answer.name);
  return all;
}

bool has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Answers, OperandsAndScalarsOfAnyProblem) {
  const Subject subject = subject_of("saxpy", "plain");
  const model::Workload workload{"w", 1, {{"n", 130}}};
  const double alpha = 1 / std::sqrt(133.0);
  const auto at = [&](auto value) {
    return names(find_answers(subject, observed(subject, workload, value)));
  };
  EXPECT_TRUE(has(at([&](const auto& in, std::size_t e) { return alpha * in[1][e] + in[0][e]; }),
                  "inputs_exchanged"));
  EXPECT_TRUE(
      has(at([&](const auto& in, std::size_t e) { return alpha * in[0][e] + in[0][e]; }), "input_replaced"));
  EXPECT_TRUE(has(at([&](const auto& in, std::size_t e) { return in[0][e] + in[1][e]; }), "scalar_other"));
  EXPECT_TRUE(has(at([&](const auto& in, std::size_t e) { return alpha * in[0][e]; }), "input_ignored"));
  EXPECT_TRUE(
      has(at([&](const auto& in, std::size_t e) { return alpha * (in[0][e] + in[1][e]); }), "input_scaled"));
  EXPECT_TRUE(has(at([&](const auto& in, std::size_t e) {
                    return alpha * in[0][std::min<std::size_t>(e + 1, 129)] + in[1][e];
                  }),
                  "input_shifted"));
  EXPECT_TRUE(has(at([&](const auto& in, std::size_t e) { return alpha * in[0][e] + in[1][e % 32]; }),
                  "input_tile_repeated"));
  EXPECT_TRUE(at([&](const auto& in, std::size_t e) { return alpha * in[0][e] + in[1][e]; }).empty())
      << "correct";
  EXPECT_TRUE(at([](const auto&, std::size_t e) { return std::sin(static_cast<double>(e)); }).empty())
      << "nothing known";
}

TEST(Answers, PartsOfASum) {
  const Subject subject = subject_of("row_softmax", "shared");
  const std::size_t columns = 101;
  const model::Workload workload{"w", 1, {{"rows", 2}, {"columns", 101}}};
  const auto softmax = [&](auto sum_of) {
    return names(find_answers(subject, observed(subject, workload, [&](const auto& in, std::size_t e) {
                                const double* row = in[0].data() + e / columns * columns;
                                return std::exp(row[e % columns]) / sum_of(row);
                              })));
  };
  const auto sum = [](const double* row, std::size_t count) {
    double total = 0;
    for (std::size_t j = 0; j < count; ++j) total += std::exp(row[j]);
    return total;
  };
  EXPECT_TRUE(has(softmax([&](const double* row) { return sum(row, 100); }), "elements_dropped"));
  EXPECT_TRUE(has(softmax([&](const double* row) { return sum(row, 101) + 27; }), "padding_counted"));
  EXPECT_TRUE(has(softmax([&](const double* row) { return sum(row, 101) + std::exp(row[100]); }),
                  "sum_repeats_element"));
  EXPECT_TRUE(has(softmax([&](const double* row) { return sum(row, 37); }), "row_factor"));
  EXPECT_TRUE(softmax([&](const double* row) { return sum(row, 101); }).empty());
}

}  // namespace
}  // namespace evo::tests
