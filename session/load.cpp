#include "session/load.hpp"

#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "packs/builtin.hpp"
#include "session/source_commands.hpp"

namespace evo::session {
namespace {

template <class T>
T value_or_throw(model::Expected<T> result) {
  if (!result) throw model::Exception(model::ExitCode::invalid_configuration, result.error().text());
  return std::move(*result);
}

}  // namespace

config::SearchPath search_path() {
  return config::default_search_path(evaluators::process::self_path(),
                                     evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
}

model::Experiment load_experiment_or_throw(const std::string& file, const config::Overrides& overrides) {
  model::Experiment experiment = value_or_throw(config::load_experiment(file, overrides, search_path()));
  use_source_commands(experiment.problem);
  return experiment;
}

model::Problem load_problem_or_throw(const std::string& name) {
  model::Problem problem = value_or_throw(config::load_problem(name, search_path()));
  use_source_commands(problem);
  return problem;
}

config::Overrides parse_overrides(const std::vector<std::string>& texts) {
  config::Overrides overrides;
  for (const std::string& text : texts) {
    auto parsed = config::parse_override(text);
    if (!parsed) throw model::Exception(model::ExitCode::usage, parsed.error().text());
    overrides.push_back(std::move(*parsed));
  }
  return overrides;
}

void apply_overrides_or_throw(model::Experiment& experiment, const std::vector<std::string>& texts) {
  const auto applied = config::apply_overrides(experiment, parse_overrides(texts));
  if (!applied) throw model::Exception(model::ExitCode::invalid_configuration, applied.error().text());
}

}  // namespace evo::session
