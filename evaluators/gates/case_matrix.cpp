#include "evaluators/gates/case_matrix.hpp"

#include <algorithm>
#include <array>

#include "evaluators/gates/case_builder.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/crossed_cases.hpp"
#include "evaluators/gates/integer_cases.hpp"
#include "evaluators/gates/scalar_cases.hpp"
#include "evaluators/gates/stride_cases.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

/// Does the problem say itself which of its arrays lie in parts?
bool declares_64bit_strides(const TemplateContext& context, const model::Genome& genome) {
  const model::Experiment& experiment = *context.experiment;
  return std::ranges::any_of(experiment.problem.check_workloads, [&](const model::Workload& workload) {
    const auto bound = model::bind_case(experiment.problem, *context.kernel_template, context.space, genome,
                                        complete_workload(experiment, workload));
    return bound && oracle::has_64bit_strides(*bound);
  });
}

/// Shapes that several scalars are shown on: whole vectors, a single element of each axis, remainders.
struct Sizes {
  std::int64_t others = 1, largest = 1;
  const char* name = "";
};
constexpr std::array kinds_of_sizes{Sizes{8, 64, "whole vectors"}, Sizes{1, 1, "single elements"},
                                    Sizes{9, 41, "remainders"}};

/// The free axes with other values, the largest of them apart.
model::Workload resized(const model::Problem& problem, model::Workload workload, std::int64_t others,
                        std::int64_t largest, const char* name) {
  const model::Axis* most = largest_free_axis(problem, workload);
  for (const model::Axis& axis : problem.axes) {
    if (axis.compile_time || !axis.allowed.empty()) continue;
    workload.axes[axis.name] = legal_value(axis, &axis == most ? largest : others);
  }
  workload.name = name;
  return workload;
}

}  // namespace

std::vector<DerivedCase> derive_cases(const TemplateContext& context, const model::Genome& genome,
                                      const std::vector<std::int64_t>& static_smem, std::uint64_t entropy,
                                      Extent extent) {
  CaseBuilder cases(context, genome, static_smem, entropy);
  const std::vector<DrawnShape> shapes = draw_shapes(context, genome, entropy, extent);
  // A search shows some stretched shapes as they are and crosses the others; elsewhere both.
  model::RandomStream halves(
      {.seed = entropy ^ extent.chosen_by, .generation = 0, .slot = 0, .purpose = "stretched or crossed"});
  const bool search = extent.chosen_by != 0;
  // Each answer of a command is a program that has to start: hundreds more would take minutes.
  const std::vector<model::OracleKind> kinds = model::oracle_kinds(context.experiment->problem);
  const bool program = std::ranges::find(kinds, model::OracleKind::command) != kinds.end();
  std::vector<model::Workload> to_cross;
  const model::Workload* telling = nullptr;
  std::size_t alone = 0;
  for (const DrawnShape& shape : shapes) {
    const bool crossed = !program && shape.use == CaseUse::stretched && (!search || halves.below(2) == 0);
    if (crossed) to_cross.push_back(shape.workload);
    if (!crossed || !search)
      cases.add(shape.use, shape.workload, shape.workload.name, {}, shape.reference_budget);
    if (shape.use == CaseUse::alone && !search && !program) set_upper_end(cases, shape.workload, alone++);
    if (telling == nullptr && shape.use == CaseUse::drawn) telling = &shape.workload;
  }
  if (telling != nullptr) {
    change_strides(cases, *telling);
    change_scalars(cases, *telling, extent.scalars, extent.beside);
    if (!context.experiment->workloads.empty())
      show_beside(cases, complete_workload(*context.experiment, context.experiment->workloads.front()),
                  extent.beside);
    const model::Problem& problem = context.experiment->problem;
    std::vector<model::Workload> by_sizes{*telling};
    for (const Sizes& sizes : kinds_of_sizes) {
      if (const auto legal = within_domain(
              context, genome, resized(problem, *telling, sizes.others, sizes.largest, sizes.name)))
        by_sizes.push_back(*legal);
    }
    if (!program) cross_scalars(cases, by_sizes, extent.scalars, entropy);
    // Wide enough for what has borders.
    const auto wide = within_domain(context, genome, resized(problem, *telling, 9, 41, "wide"));
    if (!program && wide) {
      set_unusual_scalars(cases, *wide, entropy);
      set_other_integers(cases, *wide, extent.scalars);
      set_ends_of_ranges(cases, *wide);
      if (extent.equal) set_integers_together(cases, *wide, *extent.equal, entropy);
    }
    if (const auto few = within_domain(context, genome, resized(problem, *telling, 2, 3, "few elements"))) {
      widen_strides(cases, *few);
      if (!declares_64bit_strides(context, genome)) part_strides(cases, *few);
    }
    if (const auto rows = within_domain(context, genome, resized(problem, *telling, 1, 128, "round rows")))
      pack_strides(cases, *rows);
  }
  if (!extent.crossed || program) return cases.take();
  for (const CrossedCase& one : cross(context, genome, to_cross, entropy, extent))
    cases.add(one.use, one.workload, one.workload.name, one.changes);
  return cases.take();
}

}  // namespace evo::evaluators::gates
