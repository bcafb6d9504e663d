#include "engine/search_space.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/random.hpp"
#include "model/searched_space.hpp"
#include "mutators/sampling.hpp"

namespace evo::engine {
namespace {

using model::Exception;
using model::ExitCode;

bool wanted(const model::Experiment& experiment, const model::Template& kernel) {
  const auto& names = experiment.templates;
  return names.empty() || kernel.name == experiment.baseline_template ||
         std::find(names.begin(), names.end(), kernel.name) != names.end();
}

void require_known_templates(const model::Experiment& experiment) {
  std::vector<std::string> names = experiment.templates;
  names.push_back(experiment.baseline_template);
  for (const std::string& name : names) {
    if (experiment.problem.find_template(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const model::Template& kernel : experiment.problem.templates) known.push_back(kernel.name);
    throw Exception(ExitCode::invalid_configuration,
                    fmt::format("{}: problem {} has no template '{}'; it has {}", experiment.file,
                                experiment.problem.name, name, fmt::join(known, ", ")));
  }
}

void require_legal_genome(const model::Experiment& experiment, const SearchTemplate& entry) {
  if (entry.space.legal(entry.space.initial())) return;
  model::RandomStream random({experiment.search.seed, 0, 0, "legal:" + entry.kernel_template.name});
  if (mutators::random_legal(entry.space, random)) return;
  throw Exception(
      ExitCode::invalid_configuration,
      fmt::format("{}: no legal genome was found for template '{}' under target {}; its initial genome "
                  "is refused because: {}",
                  experiment.file, entry.kernel_template.name, experiment.target.name,
                  *entry.space.violation(entry.space.initial())));
}

}  // namespace

const SearchTemplate* SearchSpace::find(std::string_view name) const {
  const auto found = std::find_if(templates.begin(), templates.end(), [&](const SearchTemplate& entry) {
    return entry.kernel_template.name == name;
  });
  return found == templates.end() ? nullptr : &*found;
}

SearchSpace make_search_space(const model::Experiment& experiment) {
  require_known_templates(experiment);
  SearchSpace space;
  for (const model::Template& kernel : experiment.problem.templates) {
    if (!wanted(experiment, kernel)) continue;
    if (kernel.name == experiment.baseline_template) space.baseline_template = space.templates.size();
    space.templates.push_back({kernel, model::searched_space(experiment, kernel)});
    require_legal_genome(experiment, space.templates.back());
  }
  space.baseline = experiment.baseline;
  if (const auto why = space.templates[space.baseline_template].space.violation(space.baseline)) {
    throw Exception(ExitCode::invalid_configuration,
                    fmt::format("{}: the baseline is not legal: {}", experiment.file, *why));
  }
  for (const model::InitialDesign& start : experiment.initial_designs) {
    const SearchTemplate* entry = space.find(start.template_name);
    // The folder of a run outlives its problem's files: what an edited problem no longer allows is left out.
    if (entry != nullptr && entry->space.legal(start.genome)) space.initial_designs.push_back(start);
  }
  return space;
}

std::uint64_t legal_genomes(const SearchSpace& space) {
  std::uint64_t total = 0;
  for (const SearchTemplate& entry : space.templates) {
    if (__builtin_add_overflow(total, entry.space.count_legal().all, &total)) return UINT64_MAX;
  }
  return total;
}

std::string genome_key(std::string_view template_name, const model::Genome& genome) {
  return fmt::format("{}:{}", template_name, genome.text());
}

}  // namespace evo::engine
