#include "session/compared.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "config/headers_beside.hpp"
#include "config/loader.hpp"
#include "config/nearest.hpp"
#include "engine/search_space.hpp"
#include "model/file_name.hpp"
#include "session/compared_stored.hpp"
#include "session/targets.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& folder, const char* file) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / file, ignored);
}

/// What a word names. RUN@VARIANT only where there is nothing of the whole name.
struct Subject {
  std::string kind, path, variant;
};

Subject subject_of(const std::string& given) {
  std::error_code ignored;
  Subject subject{{}, given, {}};
  const std::size_t at = given.rfind('@');
  if (!fs::exists(given, ignored) && at != std::string::npos) {
    subject.path = given.substr(0, at);
    subject.variant = given.substr(at + 1);
  }
  const fs::path path = subject.path;
  if (!fs::exists(path, ignored)) refuse_compared(fmt::format("{}: there is no such file or folder", given));
  if (fs::is_directory(path, ignored)) {
    if (holds(subject.path, "ledger.sqlite")) subject.kind = "run";
    if (subject.kind.empty() && holds(subject.path, "provenance.json")) subject.kind = "export";
    if (subject.kind.empty())
      refuse_compared(fmt::format(
          "{} is neither a run folder (no ledger.sqlite) nor an export (no provenance.json)", given));
  } else if (path.extension() == ".json") {
    subject.kind = "baseline";
  } else if (path.extension() == ".yaml" || path.extension() == ".yml") {
    subject.kind = "experiment";
  } else {
    subject.kind = "source";
  }
  if (!subject.variant.empty() && subject.kind != "run")
    refuse_compared(
        fmt::format("{}: @VARIANT names a variant of a run, and {} is none", given, subject.path));
  return subject;
}

Compared of_run(const Subject& subject) {
  const bool other = !subject.variant.empty() && subject.variant != "champion";
  BenchSubject read =
      read_bench_subject(subject.path, other ? std::vector{subject.variant} : std::vector<std::string>{});
  BenchVariant chosen = read.variants.front();
  for (const BenchVariant& variant : read.variants) {
    if (other && (variant.label == subject.variant || variant.id.starts_with(subject.variant)))
      chosen = variant;
  }
  return {{}, {}, std::move(read.experiment), std::move(chosen)};
}

Compared of_experiment(const Subject& subject) {
  BenchSubject read = read_bench_subject(subject.path, {});
  return {{}, {}, std::move(read.experiment), read.variants.front()};
}

std::string variant_id(const model::Experiment& experiment, const std::string& kernel,
                       const model::Genome& genome) {
  model::Experiment only = experiment;
  only.templates = {kernel};
  only.baseline_template = kernel;
  only.baseline = genome;
  const engine::SearchSpace space = engine::make_search_space(only);
  const engine::SearchTemplate* entry = space.find(kernel);
  return model::make_variant(entry->kernel_template, entry->space, genome).id;
}

/// A file's text in the place of the other side's template, at its genes.
Compared of_source_beside(const Subject& subject, const Compared& other, const SourceRequest& request) {
  Compared side{{}, {}, other.experiment, other.variant};
  const std::string wanted = request.kernel.empty() ? other.variant.template_name : request.kernel;
  model::Template kernel = *other.experiment.problem.find_template(other.variant.template_name);
  if (const model::Template* named = other.experiment.problem.find_template(wanted)) {
    kernel = *named;
  } else {
    std::vector<std::string> names;
    for (const model::Template& known : other.experiment.problem.templates) names.push_back(known.name);
    refuse_compared(fmt::format("there is no template '{}'{}", wanted, config::suggestion(wanted, names)));
  }
  std::ifstream stream(subject.path, std::ios::binary);
  if (!stream) refuse_compared(fmt::format("{} cannot be read", subject.path));
  const std::string before = kernel.source;
  kernel.source.assign(std::istreambuf_iterator<char>(stream), {});
  kernel.generator_command.clear();
  if (kernel.source != before) {
    kernel.launch.static_smem_open = true;
    for (model::LaunchModel& later : kernel.later_launches) later.static_smem_open = true;
  }
  const fs::path beside = fs::path(subject.path).parent_path();
  config::add_headers_beside(beside, beside, kernel.source, kernel.headers);
  kernel.source_file = model::plain_file_name(fs::path(subject.path).filename().string());
  const model::Genome initial = kernel.space.initial();
  side.variant.genome = wanted == other.variant.template_name ? other.variant.genome : initial;
  for (const auto& [name, value] : read_gene_values(request.genes, kernel.space))
    side.variant.genome.set(name, value);
  side.variant.template_name = kernel.name;
  side.experiment.templates.clear();
  side.experiment.baseline_template = kernel.name;
  side.experiment.baseline = side.variant.genome;
  side.experiment.problem.templates = {std::move(kernel)};
  return side;
}

Compared of_source(const Subject& subject, const Compared* other, SourceRequest request) {
  if (request.problem.empty()) {
    if (other == nullptr)
      refuse_compared(
          fmt::format("{}: a source needs --problem P, or another side that has a problem", subject.path));
    return of_source_beside(subject, *other, request);
  }
  request.source = subject.path;
  request.own_shared_memory = true;
  SourceExperiment read = read_source_experiment(request);
  BenchVariant variant{{}, {}, read.experiment.baseline_template, read.experiment.baseline};
  return {{}, {}, std::move(read.experiment), std::move(variant)};
}

/// Sides that know their problem by themselves.
bool stands_alone(const Subject& subject, const SourceRequest& request) {
  return subject.kind == "run" || subject.kind == "experiment" || !request.problem.empty();
}

Compared read(const Subject& subject, const std::string& given, const Compared* other,
              const SourceRequest& request) {
  Compared side;
  if (subject.kind == "run") side = of_run(subject);
  if (subject.kind == "experiment") side = of_experiment(subject);
  if (subject.kind == "export") side = compared_of_export(subject.path, other, request);
  if (subject.kind == "baseline") side = compared_of_baseline(subject.path, other, request);
  if (subject.kind == "source") side = of_source(subject, other, request);
  if (subject.kind == "run" || subject.kind == "experiment") side.own_cache = side.experiment.gates.cache;
  if (!side.own_cache.empty()) side.experiment.gates.cache = side.own_cache;
  side.given = given;
  side.kind = subject.kind;
  side.path = subject.path;
  side.variant.id = variant_id(side.experiment, side.variant.template_name, side.variant.genome);
  return side;
}

/// The workloads of the request over those of the side.
void use_workloads(Compared& side, const SourceRequest& request) {
  if (request.workloads.empty()) return;
  side.experiment.workloads = read_workloads(request.workloads, side.experiment.problem);
  config::complete_workloads(side.experiment);
}

/// How two cases differ in what they compute: equal arguments but for workspaces; empty if they do not.
std::string difference(const model::Case& a, const model::Case& b) {
  if (a.arguments.size() != b.arguments.size())
    return fmt::format("{} arguments and {}", a.arguments.size(), b.arguments.size());
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const model::BoundArgument &x = a.arguments[i], &y = b.arguments[i];
    if (x.role == model::ArgumentRole::workspace && y.role == x.role) continue;
    if (x.name != y.name || x.role != y.role || x.dtype != y.dtype || x.shape != y.shape ||
        x.strides != y.strides)
      return fmt::format("argument {} of the one is not argument {} of the other", x.name, y.name);
  }
  return {};
}

/// A side that is not legal on a workload is refused later, with its reason.
void require_the_same(const std::array<Compared, 2>& sides) {
  for (const model::Workload& workload : sides[0].experiment.workloads) {
    const auto a = bind_for(sides[0].experiment, sides[0].variant, workload);
    const auto b = bind_for(sides[1].experiment, sides[1].variant, workload);
    const std::string differs = a && b ? difference(*a, *b) : std::string();
    if (!differs.empty())
      refuse_compared(fmt::format("{} and {} do not compute the same on {}: {}", sides[0].given,
                                  sides[1].given, workload.name, differs));
  }
}

/// The second side at the first one's shapes, limits and tolerances.
void match(const Compared& first, Compared& second) {
  model::Experiment& experiment = second.experiment;
  experiment.workloads = first.experiment.workloads;
  experiment.target = first.experiment.target;
  experiment.own_target = first.experiment.own_target;
  experiment.known_targets = first.experiment.known_targets;
  experiment.smem_limit = first.experiment.smem_limit;
  experiment.gates = first.experiment.gates;
  experiment.accuracy_class = first.experiment.accuracy_class;
  if (experiment.problem.find_tolerance(experiment.accuracy_class) == nullptr)
    refuse_compared(fmt::format("{} knows no accuracy class '{}', which {} is correct in", second.given,
                                experiment.accuracy_class, first.given));
  for (const model::Workload& workload : experiment.workloads) {
    for (const auto& [axis, value] : workload.axes) {
      if (experiment.problem.find_axis(axis) == nullptr)
        refuse_compared(fmt::format("{} and {} do not compute the same: only the first has the axis {}",
                                    first.given, second.given, axis));
    }
  }
}

}  // namespace

bool times_cold(const Compared& first, const std::string& asked) {
  return (asked.empty() ? first.experiment.gates.cache : asked) == "cold";
}

Compared read_compared(const std::string& subject, const SourceRequest& request) {
  Compared side = read(subject_of(subject), subject, nullptr, request);
  use_workloads(side, request);
  return side;
}

std::array<Compared, 2> read_compared(const std::string& first, const std::string& second,
                                      const SourceRequest& request) {
  const Subject a = subject_of(first), b = subject_of(second);
  std::array<Compared, 2> sides;
  // A side that depends on the other's problem is read after it.
  const bool second_first = !stands_alone(a, request) && (stands_alone(b, request) || a.kind == "source");
  if (second_first) {
    sides[1] = read(b, second, nullptr, request);
    sides[0] = read(a, first, &sides[1], request);
  } else {
    sides[0] = read(a, first, nullptr, request);
    sides[1] = read(b, second, &sides[0], request);
  }
  use_workloads(sides[0], request);
  if (!request.target.empty())
    set_target_or_throw(sides[0].experiment, request.target, model::ExitCode::usage);
  match(sides[0], sides[1]);
  require_the_same(sides);
  return sides;
}

}  // namespace evo::session
