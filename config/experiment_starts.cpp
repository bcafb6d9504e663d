#include "config/experiment_starts.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/problem_parts.hpp"
#include "config/settings.hpp"
#include "model/searched_space.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> searched_templates(const model::Experiment& experiment) {
  if (!experiment.templates.empty()) return experiment.templates;
  std::vector<std::string> names;
  for (const model::Template& kernel : experiment.problem.templates) names.push_back(kernel.name);
  return names;
}

model::InitialDesign read_design(const Reader& item, const model::Experiment& experiment) {
  item.expect_keys(key_names(initial_design_keys()));
  model::InitialDesign design;
  const auto named = item.find("template");
  design.template_name =
      named ? named->choice(searched_templates(experiment), "template") : experiment.baseline_template;
  const model::Template& kernel = *experiment.problem.find_template(design.template_name);
  const auto genes = item.find("genes");
  design.genome = genes ? read_genome_with_edits(*genes, kernel.space) : kernel.space.initial();
  const auto origin = item.find("origin");
  design.origin = origin ? origin->text() : "the experiment";
  if (const auto why = model::searched_space(experiment, kernel).violation(design.genome))
    genes.value_or(item).fail(fmt::format("the design is no legal genome: {}", *why));
  return design;
}

/// As an experiment names its problem: from its own folder where it is there, else from the working folder.
std::string found_from(const std::string& file, const std::string& run) {
  const fs::path beside = fs::path(file).parent_path() / run;
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside.lexically_normal().string() : run;
}

model::Prior read_prior(const Reader& item, const std::string& file) {
  model::Prior prior;
  prior.place = fmt::format("{}:{}", item.file(), item.line());
  if (item.is_map()) {
    item.expect_keys(key_names(prior_keys()));
    prior.run = item.at("run").text();
    std::int64_t best = prior.best;
    take(item, prior_keys(), "best", best);
    prior.best = static_cast<int>(best);
  } else {
    prior.run = item.text();
  }
  if (prior.run.empty()) item.fail("an earlier run is the path of its folder");
  prior.run = found_from(file, prior.run);
  return prior;
}

}  // namespace

bool add_start(model::Experiment& experiment, model::InitialDesign design) {
  if (design.template_name == experiment.baseline_template && design.genome == experiment.baseline)
    return false;
  for (const model::InitialDesign& other : experiment.initial_designs) {
    if (design.template_name == other.template_name && design.genome == other.genome) return false;
  }
  experiment.initial_designs.push_back(std::move(design));
  return true;
}

void read_starts_and_priors(const Reader& root, model::Experiment& experiment) {
  if (const auto starts = root.find("starts")) {
    for (const Reader& item : starts->items()) {
      if (!add_start(experiment, read_design(item, experiment)))
        item.fail("the design is the baseline, or stands there already");
    }
  }
  if (const auto priors = root.find("priors")) {
    for (const Reader& item : priors->items()) experiment.priors.push_back(read_prior(item, experiment.file));
  }
}

}  // namespace evo::config
