// experiments/NAME.yaml to model::Experiment.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/experiment_starts.hpp"
#include "config/keys.hpp"
#include "config/loader.hpp"
#include "config/nearest.hpp"
#include "config/overrides.hpp"
#include "config/problem_parts.hpp"
#include "config/resolved.hpp"
#include "config/settings.hpp"
#include "config/targets.hpp"
#include "config/yaml_reader.hpp"
#include "model/domain.hpp"
#include "model/gpu_names.hpp"
#include "model/variant.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;
using model::Experiment;

void read_device(const Reader& reader, Experiment& experiment) {
  experiment.device = reader.text();
  if (experiment.device != "auto" && experiment.device != "virtual" &&
      experiment.device != model::device_of_farm && !model::gpus_named(experiment.device)) {
    reader.fail(fmt::format(
        "unknown device '{}'{}; several GPUs are cuda:0,2 or cuda:all, each once", experiment.device,
        suggestion(experiment.device, {"auto", "virtual", "cuda:0", "cuda:all", "farm"})));
  }
}

/// The one value that every workload gives each compile-time axis.
std::map<std::string, std::int64_t, std::less<>> compile_time_axes(const Experiment& experiment,
                                                                   const Reader& workloads) {
  std::map<std::string, std::int64_t, std::less<>> values;
  for (const model::Axis& axis : experiment.problem.axes) {
    if (!axis.compile_time) continue;
    for (const model::Workload& workload : experiment.workloads) {
      const auto found = workload.axes.find(axis.name);
      if (found == workload.axes.end() && !axis.initial) {
        workloads.fail(
            fmt::format("workload {} gives no value for the compile-time axis {}", workload.name, axis.name));
      }
      const std::int64_t value = found == workload.axes.end() ? *axis.initial : found->second;
      const auto [place, inserted] = values.emplace(axis.name, value);
      if (!inserted && place->second != value) {
        workloads.fail(
            fmt::format("{} is a compile-time axis: it has one value in an experiment, not {} and {}",
                        axis.name, place->second, value));
      }
    }
  }
  return values;
}

/// Where recorded arrays alone are the oracle, the workloads that they are of; nothing elsewhere.
std::vector<std::string> recorded_workloads(const model::Problem& problem) {
  std::vector<std::string> names;
  if (model::oracle_kinds(problem) != std::vector{model::OracleKind::files}) return names;
  for (const model::OracleSource& oracle : problem.oracles)
    for (const model::RecordedWorkload& recording : oracle.recordings) names.push_back(recording.workload);
  return names;
}

void read_workloads(const Reader& reader, Experiment& experiment) {
  const std::vector<std::string> recorded = recorded_workloads(experiment.problem);
  for (const Reader& item : reader.items()) {
    model::Workload workload = read_workload(item, experiment.problem);
    if (!recorded.empty() && std::find(recorded.begin(), recorded.end(), workload.name) == recorded.end())
      item.at("name").fail(
          fmt::format("'{}' is none of the recorded workloads, and there is no other oracle{}", workload.name,
                      suggestion(workload.name, recorded)));
    for (const model::Workload& other : experiment.workloads) {
      if (other.name == workload.name) item.fail(fmt::format("two workloads are named {}", workload.name));
    }
    for (const model::Axis& axis : experiment.problem.axes) {
      if (!workload.axes.contains(axis.name) && axis.initial) workload.axes[axis.name] = *axis.initial;
      if (!workload.axes.contains(axis.name)) {
        item.fail(fmt::format("workload {} gives no value for axis {}", workload.name, axis.name));
      }
    }
    experiment.workloads.push_back(std::move(workload));
  }
  if (experiment.workloads.empty()) reader.fail("an experiment needs at least one workload");
}

/// Why the target cannot run the template; empty if it can.
std::string unfit_target(const model::Template& kernel, const model::TargetProfile& target) {
  if (kernel.arch.empty() || kernel.arch == target.arch) return {};
  return fmt::format("template {} is written for {}; the target {} is {}", kernel.name, kernel.arch,
                     target.name, target.arch);
}

/// The template that `baseline` names; empty: none.
std::string baseline_name(const Reader& root) {
  const auto section = root.find("baseline");
  const auto named = section && section->is_map() ? section->find("template") : std::nullopt;
  return named ? named->text() : std::string();
}

/// Those that are named, or all that the target can run and that are nobody's comparators; what is the
/// baseline is searched, too.
void read_templates(const Reader& root, Experiment& experiment) {
  const std::vector<model::Template>& all = experiment.problem.templates;
  if (const auto list = root.find("templates"); list && !list->items().empty()) {
    std::vector<std::string> known;
    for (const model::Template& kernel : all) known.push_back(kernel.name);
    for (const Reader& item : list->items()) {
      const std::string name = item.choice(known, "template");
      if (const std::string why = unfit_target(*experiment.problem.find_template(name), experiment.target);
          !why.empty())
        item.fail(why);
      experiment.templates.push_back(name);
    }
    return;
  }
  const std::string baseline = baseline_name(root);
  std::size_t comparators = 0;
  for (const model::Template& kernel : all) {
    std::string why = unfit_target(kernel, experiment.target);
    if (model::is_comparator(experiment.problem, kernel.name) && kernel.name != baseline)
      ++comparators;
    else if (!why.empty())
      experiment.left_out.push_back(std::move(why));
    else
      experiment.templates.push_back(kernel.name);
  }
  if (comparators == all.size())
    root.fail(
        fmt::format("every template of the problem is a comparator, which nobody searches: templates: [{}] "
                    "says that it is",
                    all.front().name));
  if (experiment.templates.empty()) root.find("target").value_or(root).fail(experiment.left_out.front());
  // Nothing is said where all are searched.
  if (experiment.templates.size() == all.size()) experiment.templates.clear();
}

/// Which comparators no run of this experiment can time: told before one begins.
void note_unfit_comparators(Experiment& experiment,
                            const std::map<std::string, std::int64_t, std::less<>>& axes) {
  for (const model::Comparator& one : experiment.problem.comparators) {
    if (!one.kernel) continue;
    std::string why = unfit_target(*one.kernel, experiment.target);
    if (why.empty()) {
      const model::Space space =
          model::bind_space(experiment.problem, *one.kernel, axes, experiment.target, experiment.smem_limit);
      why = space.violation(one.genome).value_or("");
    }
    if (!why.empty()) experiment.left_out.push_back(fmt::format("comparator {}: {}", one.name, why));
  }
}

void read_baseline(const Reader& root, Experiment& experiment) {
  const auto section = root.find("baseline");
  std::vector<std::string> known;
  for (const model::Template& kernel : experiment.problem.templates) known.push_back(kernel.name);
  experiment.baseline_template = experiment.templates.empty() ? known.front() : experiment.templates.front();
  if (section) {
    section->expect_keys(key_names(baseline_keys()));
    if (const auto t = section->find("template")) {
      experiment.baseline_template = t->choice(known, "template");
      const model::Template& named = *experiment.problem.find_template(experiment.baseline_template);
      if (const std::string why = unfit_target(named, experiment.target); !why.empty()) t->fail(why);
    }
  }
  const model::Template& kernel = *experiment.problem.find_template(experiment.baseline_template);
  const auto genes = section ? section->find("genes") : std::nullopt;
  experiment.baseline = genes ? read_genome(*genes, kernel.space) : kernel.space.initial();
}

/// Only the baseline's problem counts here; evaluators check the rest of the space as they meet it.
void check_baseline(const Reader& root, const Experiment& experiment,
                    const std::map<std::string, std::int64_t, std::less<>>& axes) {
  const Reader where = root.find("baseline").value_or(root);
  const model::Template& kernel = *experiment.problem.find_template(experiment.baseline_template);
  const model::Space space =
      model::bind_space(experiment.problem, kernel, axes, experiment.target, experiment.smem_limit);
  if (const auto violation = space.violation(experiment.baseline)) {
    where.fail(fmt::format("the baseline is no legal genome: {}", *violation));
  }
  model::Environment values = space.fixed();
  for (const auto& [name, value] : experiment.baseline.values()) values.insert_or_assign(name, value);
  for (const model::Workload& workload : experiment.workloads) {
    if (const auto why = model::domain_violation(experiment.problem, kernel, values, workload))
      where.fail(fmt::format("the workload {} is no shape for the baseline: {}", workload.name, *why));
  }
  std::vector<model::Workload> all = experiment.workloads;
  for (const model::Workload& workload : experiment.problem.check_workloads) {
    if (auto near = model::within_domain(experiment.problem, kernel, values, workload))
      all.push_back(std::move(*near));
  }
  for (const model::Workload& workload : all) {
    const auto bound = model::bind_case(experiment.problem, kernel, space, experiment.baseline, workload);
    if (!bound) {
      model::Error error = bound.error();
      error.message = fmt::format("workload {}: {}", workload.name, error.message);
      throw Invalid{error};
    }
  }
}

/// The experiment that a missing file may have meant, as " (did you mean 'experiments/quickstart.yaml'?)".
std::string experiment_near(const fs::path& file, const SearchPath& path) {
  std::vector<fs::path> folders{file.has_parent_path() ? file.parent_path() : fs::path(".")};
  folders.insert(folders.end(), path.experiment_folders.begin(), path.experiment_folders.end());
  for (const fs::path& folder : folders) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    if (const auto near = nearest(file.stem().string(), names))
      return fmt::format(" (did you mean '{}'?)", (folder / (*near + ".yaml")).lexically_normal().string());
  }
  return {};
}

Reader open_experiment(const std::string& file, const SearchPath& path) {
  try {
    return Reader::load(file);
  } catch (Invalid& invalid) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) invalid.error.message += experiment_near(file, path);
    throw;
  }
}

Experiment read_experiment(const std::string& file, const Overrides& overrides, SearchPath path) {
  const Reader root = with_overrides(open_experiment(file, path), overrides);
  if (root.find("axes") && root.find("args")) {
    const fs::path beside = fs::path(file).parent_path() / "experiment.yaml";
    std::error_code ignored;
    throw Invalid{
        {fmt::format("is a problem; an experiment names it and says what to run{}",
                     fs::exists(beside, ignored) ? fmt::format(" (did you mean '{}'?)", beside.string())
                                                 : std::string()),
         file, 1, 1}};
  }
  root.expect_keys(key_names(experiment_keys()));
  Experiment experiment;
  experiment.file = file;
  experiment.name = root.at("name").text();
  if (experiment.name.empty() || experiment.name.find('/') != std::string::npos) {
    root.at("name").fail("the name is a part of folder names: not empty, no '/'");
  }
  // For readers of the file; a text all the same.
  (void)root.optional_text("description");
  const Reader problem_key = root.at("problem");
  const fs::path folder = fs::path(file).parent_path();
  path.kernel_folders.insert(path.kernel_folders.begin(),
                             (folder / ".." / "kernels").lexically_normal().string());
  const fs::path relative = folder / problem_key.text();
  std::error_code ignored;
  const bool beside = fs::exists(relative / "problem.yaml", ignored);
  SearchPath with_own_targets = path;
  with_own_targets.target_folders = folders_of_targets(folder.string(), path);
  auto problem = load_problem(beside ? relative.string() : problem_key.text(), with_own_targets);
  if (!problem) {
    if (problem.error().file.empty()) problem_key.fail(problem.error().message);
    throw Invalid{problem.error()};
  }
  experiment.problem = std::move(*problem);
  read_workloads(root.at("workloads"), experiment);
  if (const auto target = root.find("target")) {
    read_target(*target, experiment, folder.string(), path);
  } else if (const auto set =
                 set_target(experiment, std::string(model::default_target), folder.string(), path);
             !set) {
    root.fail(set.error().message);
  }
  if (const auto device = root.find("device")) read_device(*device, experiment);
  take(root, experiment_keys(), "smem_limit", experiment.smem_limit);
  if (const auto seed = root.find("input_seed")) {
    experiment.input_seed =
        static_cast<std::uint64_t>(seed->integer(0, std::int64_t{9'200'000'000'000'000'000}));
  }

  std::vector<std::string> classes;
  for (const model::Tolerance& t : experiment.problem.tolerances) classes.push_back(t.accuracy_class);
  const auto accuracy = root.find("accuracy_class");
  experiment.accuracy_class = accuracy ? accuracy->choice(classes, "accuracy class") : classes.front();
  read_templates(root, experiment);
  if (const auto search = root.find("search")) read_search(*search, experiment.search);
  if (const auto budget = root.find("budget")) read_budget(*budget, experiment.budget);
  if (const auto gates = root.find("gates")) read_gates(*gates, experiment.gates);
  if (experiment.budget.trials == 0) {
    experiment.budget.trials = std::int64_t{experiment.search.population} * experiment.search.generations;
  }
  read_baseline(root, experiment);

  const auto axes = compile_time_axes(experiment, root.at("workloads"));
  for (model::Workload& workload : experiment.problem.check_workloads) {
    for (const auto& [name, value] : axes) workload.axes[name] = value;
  }
  check_baseline(root, experiment, axes);
  note_unfit_comparators(experiment, axes);
  read_starts_and_priors(root, experiment);
  experiment.resolved_yaml = resolved_yaml(experiment);
  return experiment;
}

}  // namespace

void complete_workloads(Experiment& experiment) {
  const auto fill = [&](model::Workload& workload) {
    for (const model::Axis& axis : experiment.problem.axes) {
      if (axis.initial) workload.axes.emplace(axis.name, *axis.initial);
    }
  };
  for (model::Workload& workload : experiment.workloads) fill(workload);
  for (model::Workload& workload : experiment.problem.check_workloads) {
    for (const model::Axis& axis : experiment.problem.axes) {
      const auto found = experiment.workloads.front().axes.find(axis.name);
      const bool known = found != experiment.workloads.front().axes.end();
      if (axis.compile_time && known) workload.axes[axis.name] = found->second;
    }
    fill(workload);
  }
}

model::Expected<Experiment> load_experiment(const std::string& file, const Overrides& overrides,
                                            const SearchPath& path) {
  try {
    return read_experiment(file, overrides, path);
  } catch (const Invalid& invalid) {
    return tl::make_unexpected(invalid.error);
  } catch (const YAML::Exception& error) {
    return tl::make_unexpected(model::Error{error.msg, file, error.mark.line + 1, error.mark.column + 1});
  }
}

}  // namespace evo::config
