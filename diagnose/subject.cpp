#include "diagnose/subject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnose/rules.hpp"
#include "diagnose/suspect_patterns.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/drawn_shapes.hpp"
#include "evaluators/oracle/patterns.hpp"

namespace evo::diagnose {
namespace {

namespace gates = evaluators::gates;

/// A diagnosis runs small shapes many times: what spends more thread instructions than this hangs.
constexpr std::uint64_t instruction_budget = std::uint64_t{1} << 30;

std::vector<model::InputSet> sets_of(const model::Problem& problem, const model::Tolerance& tolerance) {
  std::vector<model::InputSet> sets;
  for (const model::InputSet& set : problem.input_sets) {
    const auto& names = tolerance.input_sets;
    if (names.empty() || std::find(names.begin(), names.end(), set.name) != names.end()) sets.push_back(set);
  }
  return sets;
}

/// What only a diagnosis can know to be wrong in a rules file, before it runs for a minute.
void check_causes(const model::CauseRules& causes) {
  const std::vector<Rule> rules = rule_base(causes.rules);
  for (const SuspectPattern& suspect : causes.suspects) {
    if (std::none_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == suspect.rule; }))
      throw invalid(fmt::format("a suspect line is of the rule {}, which there is not", suspect.rule));
    if (!suspect.fact.empty() && !is_fact_name(suspect.fact))
      throw invalid(fmt::format("a suspect line of {}: there is no fact {}", suspect.rule, suspect.fact));
  }
}

void add_cases(std::vector<model::Workload>& workloads, const std::vector<model::Case>& cases) {
  for (const model::Case& bound : cases) workloads.push_back({bound.name, 1, bound.axes});
}

}  // namespace

model::Exception invalid(const std::string& message) {
  return model::Exception(model::ExitCode::invalid_configuration, message);
}

Subject make_subject(const model::Experiment& experiment, const std::string& template_name,
                     const model::Genome& genome, evaluators::oracle::Catalogue catalogue,
                     const std::optional<std::string>& source, const std::string& source_file) {
  const model::Template* kernel = experiment.problem.find_template(template_name);
  if (!kernel)
    throw invalid(fmt::format("problem {} has no template {}", experiment.problem.name, template_name));
  const model::Tolerance* tolerance = experiment.problem.find_tolerance(experiment.accuracy_class);
  if (!tolerance)
    throw invalid(fmt::format("the problem has no accuracy class {}", experiment.accuracy_class));

  check_causes(experiment.problem.causes);

  Subject subject;
  subject.problem = experiment.problem;
  subject.known = std::move(catalogue);
  subject.kernel_template = *kernel;
  if (source) subject.kernel_template.source = *source;
  if (!source_file.empty()) subject.kernel_template.source_file = source_file;
  subject.title = subject.kernel_template.source_file;
  const gates::TemplateContext context = gates::make_context(experiment, *kernel);
  subject.space = context.space;
  subject.candidate = {subject.kernel_template.source, genome};
  subject.target = experiment.target;
  subject.tolerance = *tolerance;
  subject.input_sets = sets_of(experiment.problem, *tolerance);
  if (subject.input_sets.empty())
    throw invalid(fmt::format("problem {} has no input set", experiment.problem.name));
  subject.undeclared_sets = evaluators::oracle::structured_sets(experiment.problem.arguments);
  subject.settings = experiment.gates;
  subject.settings.instruction_budget = std::min(subject.settings.instruction_budget, instruction_budget);
  if (experiment.input_seed) subject.input_seed = *experiment.input_seed;
  subject.violation = subject.space.violation(genome);
  if (source && *source != kernel->source) subject.known_source = kernel->source;
  const model::Genome& start =
      experiment.baseline_template == template_name && !experiment.baseline.values().empty() && !source
          ? experiment.baseline
          : kernel->space.initial();
  if (!(start == genome)) subject.known_genome = start;

  const auto bound = gates::bind_variant(context, genome);
  if (!bound) {
    subject.unbound = bound.error();
    return subject;
  }
  add_cases(subject.workloads, bound->sanitize_shapes);
  add_cases(subject.workloads, bound->check_workloads);
  add_cases(subject.workloads, bound->workloads);
  for (gates::DrawnShape& shape : gates::draw_shapes(context, genome, subject.input_seed, {false, true}))
    subject.drawn.push_back(std::move(shape.workload));
  return subject;
}

}  // namespace evo::diagnose
