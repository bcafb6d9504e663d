#include "session/held_out.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/loader.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/drawn_shapes.hpp"
#include "evaluators/gates/shape_collector.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "model/variant.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;

/// The sizes nearest to them for which the champion is written, each once.
std::vector<model::Workload> within_domain_of(const model::Experiment& experiment,
                                              const model::Variant& champion,
                                              std::vector<model::Workload> workloads) {
  const model::Template* kernel = experiment.problem.find_template(champion.template_name);
  if (kernel == nullptr || kernel->domain.empty()) return workloads;
  const auto context = evaluators::gates::make_context(experiment, *kernel);
  std::vector<model::Workload> found;
  for (model::Workload& workload : workloads) {
    auto near = evaluators::gates::within_domain(context, champion.genome, std::move(workload));
    const auto same = [&](const model::Workload& other) { return other.axes == near->axes; };
    if (near && std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(*near));
  }
  return found;
}

}  // namespace

std::vector<model::Workload> held_out_workloads(const model::Experiment& experiment, std::uint64_t entropy) {
  std::vector<model::Workload> found;
  // Recorded arrays have no answer to another shape.
  if (model::oracle_kinds(experiment.problem) == std::vector{model::OracleKind::files}) return found;
  for (std::size_t i = 0; i < experiment.workloads.size(); ++i) {
    const model::Workload& from = experiment.workloads[i];
    const model::Axis* largest = gates::largest_free_axis(experiment.problem, from);
    if (largest == nullptr) continue;
    model::RandomStream stream({.seed = entropy, .generation = 0, .slot = i, .purpose = "held-out"});
    for (const bool wider : {false, true}) {
      model::Workload workload = from;
      workload.name = fmt::format("held out {}{}", from.name, wider ? " wider" : "");
      workload.weight = 1;
      const std::int64_t value = from.axes.at(largest->name);
      const std::int64_t low = value / 2;
      workload.axes[largest->name] = gates::legal_value(
          *largest, low + static_cast<std::int64_t>(stream.below(
                              static_cast<std::uint64_t>(std::max<std::int64_t>(value - low, 1)))));
      for (const model::Axis& axis : experiment.problem.axes) {
        const auto other = workload.axes.find(axis.name);
        if (wider && gates::is_free(axis) && &axis != largest && other != workload.axes.end())
          other->second = gates::legal_value(axis, other->second + 1);
      }
      found.push_back(std::move(workload));
    }
  }
  return found;
}

namespace {

using evaluators::gates::GateReport;

GateReport prove_on(const model::Experiment& experiment, const HeldOut& held_out, EvaluationStack& stack,
                    evaluators::gates::JobRunner& runner, const model::Variant& champion,
                    evaluators::gates::Rigour rigour) {
  model::Experiment unseen = experiment;
  unseen.input_seed = held_out.entropy;
  unseen.problem.check_workloads = held_out.workloads;
  config::complete_workloads(unseen);
  evaluators::gates::Ladder ladder(unseen, stack.compiler(), runner, stack.virtual_device(), stack.known(),
                                   rigour);
  return evaluators::gates::prove(ladder, champion);
}

/// What the problem's oracle says against this shape; nullopt: nothing.
std::optional<std::string> objection_to(const model::Experiment& experiment, const EvaluationStack& stack,
                                        const model::Variant& champion, const model::Workload& workload) {
  const model::Problem& problem = experiment.problem;
  const model::Template* kernel = problem.find_template(champion.template_name);
  const evaluators::oracle::Oracle* oracle = stack.known().find_oracle(problem.oracle);
  if (kernel == nullptr || oracle == nullptr) return std::nullopt;
  model::Experiment with = experiment;
  with.problem.check_workloads = {workload};
  config::complete_workloads(with);
  const auto space = model::bind_space(problem, *kernel, model::compile_time_axes(experiment),
                                       experiment.target, experiment.smem_limit);
  const auto bound =
      model::bind_case(problem, *kernel, space, champion.genome, with.problem.check_workloads.front());
  if (!bound) return bound.error().text();
  for (const model::InputSet& set : problem.input_sets) {
    const auto inputs = evaluators::oracle::make_inputs(stack.known(), *bound, set, {.seed = 1});
    if (!inputs) return inputs.error().text();
    if (!oracle->can_answer(*bound, *inputs)) continue;
    if (const auto outputs = oracle->compute(*bound, *inputs); !outputs) return outputs.error().text();
  }
  return std::nullopt;
}

}  // namespace

HeldOut check_held_out(const model::Experiment& experiment, EvaluationStack& stack,
                       evaluators::gates::JobRunner& runner, const model::Variant& champion,
                       std::uint64_t entropy, evaluators::gates::Rigour rigour) {
  HeldOut held_out{
      entropy, within_domain_of(experiment, champion, held_out_workloads(experiment, entropy)), {}};
  try {
    held_out.report = prove_on(experiment, held_out, stack, runner, champion, rigour);
    return held_out;
  } catch (const model::Exception& error) {
    if (error.code() != model::ExitCode::invalid_configuration) throw;
  }
  // A reference that cannot take a shape which nobody wrote is no fault of the champion, and must not cost
  // the run its report: those shapes are left out, and the report says so.
  std::vector<model::Evidence> notes;
  std::erase_if(held_out.workloads, [&](const model::Workload& workload) {
    const auto objection = objection_to(experiment, stack, champion, workload);
    if (objection) {
      notes.push_back({"not_checked",
                       fmt::format("{}: the oracle has no answer: {}", workload.name, *objection),
                       {},
                       0,
                       {}});
    }
    return objection.has_value();
  });
  held_out.report = prove_on(experiment, held_out, stack, runner, champion, rigour);
  auto& all = held_out.report.evaluation.notes;
  all.insert(all.end(), notes.begin(), notes.end());
  return held_out;
}

}  // namespace evo::session
