#include "cli/reference_note.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "evaluators/reference/reference_source.hpp"
#include "intake/draft.hpp"
#include "intake/reference_cost.hpp"
#include "model/problem.hpp"

namespace evo::cli {
namespace {

std::string role_of(const model::Argument& argument) {
  switch (argument.role) {
    case model::ArgumentRole::input:
      return "input";
    case model::ArgumentRole::output:
      return "output";
    case model::ArgumentRole::scalar:
      return "scalar";
    case model::ArgumentRole::workspace:
      return "workspace";
    case model::ArgumentRole::inout:
      return "inout";
  }
  return {};
}

std::vector<std::string> texts_of(const model::Expression (&sides)[3]) {
  std::vector<std::string> texts;
  for (const model::Expression& side : sides) texts.push_back(side.text().empty() ? "1" : side.text());
  return texts;
}

/// As much of the problem as its reference's launch asks for.
intake::Draft draft_of(const model::Experiment& experiment) {
  const model::Problem& problem = experiment.problem;
  intake::Draft draft;
  for (const model::Axis& axis : problem.axes) {
    intake::DraftAxis own;
    own.name = axis.name;
    own.compile_time = axis.compile_time;
    for (const model::Workload& workload : experiment.workloads) {
      const auto value = workload.axes.find(axis.name);
      if (value != workload.axes.end()) own.values.push_back(value->second);
    }
    if (own.values.empty()) own.values.push_back(axis.initial.value_or(axis.minimum.value_or(1)));
    if (axis.multiple_of) own.keys.emplace_back("multiple_of", std::to_string(*axis.multiple_of));
    draft.axes.push_back(std::move(own));
  }
  for (const model::Argument& argument : problem.arguments) {
    intake::DraftArgument own;
    own.name = argument.name;
    own.role = role_of(argument);
    own.dtype = std::string(model::name_of(argument.dtype));
    own.value = argument.scalar.form == model::ScalarValue::Form::integer
                    ? argument.scalar.expression.text()
                    : fmt::format("{}", argument.scalar.number);
    for (const model::Expression& size : argument.shape) own.shape.push_back(size.text());
    draft.arguments.push_back(std::move(own));
  }
  if (const auto& launch = problem.oracle_kernel->launch) {
    draft.reference_grid = texts_of(launch->grid);
    draft.reference_block = texts_of(launch->block);
  }
  return draft;
}

}  // namespace

std::string reference_note(const model::Experiment& experiment, evaluators::compile::Compiler& compiler) {
  const model::Problem& problem = experiment.problem;
  // Where the file says how much work a case is, big ones are judged on sampled rows.
  if (!problem.oracle_kernel || !problem.work.assumed) return {};
  const auto artifact = compiler.compile(evaluators::reference::reference_request(
      problem, model::compile_time_axes(experiment), experiment.target.arch));
  if (!artifact) return {};  // whoever needs it says what is wrong with it
  const intake::Draft draft = draft_of(experiment);
  const auto cost = intake::ReferenceCost::measure(draft, *artifact);
  if (!cost) return {};
  double most = 0;
  std::string name;
  for (const model::Workload& workload : experiment.workloads) {
    std::vector<double> sizes;
    for (const intake::DraftAxis& axis : draft.axes) {
      const auto value = workload.axes.find(axis.name);
      sizes.push_back(
          static_cast<double>(value == workload.axes.end() ? axis.values.front() : value->second));
    }
    if (const double here = cost->at(sizes); here > most) {
      most = here;
      name = workload.name;
    }
  }
  if (most <= intake::long_cost) return {};
  return fmt::format(
      "{} is expected to take {:.1e} instructions for workload {} (it grows with the power {:.1f} of the "
      "sizes), "
      "which is minutes on the virtual device for each set of inputs: take a smaller workload, or say in "
      "problem.yaml how much work one is, work: {{flops: ..., bytes: ...}}: above 2^32 only sampled rows are "
      "computed, where a thread of the reference is an element of its output",
      problem.oracle_kernel->source_file, most, name, cost->power());
}

}  // namespace evo::cli
