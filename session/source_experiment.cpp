#include "session/source_experiment.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/axis_values.hpp"
#include "config/headers_beside.hpp"
#include "config/nearest.hpp"
#include "model/error.hpp"
#include "model/file_name.hpp"
#include "model/variant.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/targets.hpp"

namespace evo::session {
namespace {

[[noreturn]] void usage(const std::string& message) {
  throw model::Exception(model::ExitCode::usage, message);
}

std::string read_source(const std::string& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, ignored)) {
    usage(fmt::format("{} cannot be read: {}", file, std::strerror(stream ? EISDIR : errno)));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) usage(fmt::format("expected NAME=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::int64_t integer(const std::string& name, const std::string& text) {
  try {
    std::size_t used = 0;
    const long long value = std::stoll(text, &used);
    if (used == text.size()) return value;
  } catch (const std::exception&) {
    // Told below, as for trailing characters.
  }
  usage(fmt::format("{}: expected an integer, not '{}'", name, text));
}

model::Workload read_workload(const std::string& text, const model::Problem& problem, std::size_t number) {
  model::Workload workload;
  workload.name = fmt::format("w{}", number);
  std::vector<std::string> names;
  for (const model::Axis& axis : problem.axes) names.push_back(axis.name);
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const auto [name, value] = split(text.substr(start, comma - start));
    const model::Axis* axis = problem.find_axis(name);
    if (axis == nullptr) usage(fmt::format("there is no axis '{}'{}", name, config::suggestion(name, names)));
    const std::int64_t wanted = integer(name, value);
    if (const auto objection = config::axis_objection(*axis, wanted))
      usage(fmt::format("--workload {}: {}", text, *objection));
    if (!workload.axes.emplace(name, wanted).second)
      usage(fmt::format("--workload {}: the axis {} has two values", text, name));
    start = comma + 1;
  }
  for (const model::Axis& axis : problem.axes) {
    if (!axis.initial && !workload.axes.contains(axis.name))
      usage(
          fmt::format("--workload {}: no value for the axis {}, which has none by itself", text, axis.name));
  }
  return workload;
}

/// Makes the file the problem's only oracle.
void set_reference(model::Problem& problem, const std::string& file, const std::string& source) {
  model::ReferenceKernel reference;
  reference.source = read_source(file);
  reference.source_file = model::plain_file_name(std::filesystem::path(file).filename().string());
  if (reference.source == source)
    usage(
        fmt::format("--reference {}: it is the kernel that is checked, and would share its mistakes", file));
  problem.oracle = model::kernel_oracle;
  problem.oracle_kernel = std::move(reference);
  problem.oracles.assign(1, {});
  problem.oracles.front().kind = model::OracleKind::kernel;
  std::erase_if(problem.input_sets, [](const model::InputSet& set) { return set.kind == "recorded"; });
  if (problem.input_sets.empty()) problem.input_sets.push_back({"normal", "normal", {}});
}

/// A compile-time axis has one value for all workloads.
void check_compile_time_axes(const std::vector<model::Workload>& workloads, const model::Problem& problem) {
  for (const model::Axis& axis : problem.axes) {
    if (!axis.compile_time) continue;
    for (const model::Workload& workload : workloads) {
      const auto value_of = [&](const model::Workload& of) {
        const auto found = of.axes.find(axis.name);
        return found == of.axes.end() ? axis.initial.value_or(0) : found->second;
      };
      if (value_of(workload) == value_of(workloads.front())) continue;
      usage(fmt::format("--workload: {} is a compile-time axis: it has one value, not {} and {}", axis.name,
                        value_of(workloads.front()), value_of(workload)));
    }
  }
}

}  // namespace

std::vector<std::pair<std::string, model::Value>> read_gene_values(const std::vector<std::string>& texts,
                                                                   const model::Space& space) {
  std::vector<std::pair<std::string, model::Value>> read;
  std::vector<std::string> names;
  for (const model::Gene& gene : space.genes()) names.push_back(gene.name);
  for (const std::string& text : texts) {
    const auto [name, value_text] = split(text);
    const model::Gene* gene = space.find(name);
    if (!gene) usage(fmt::format("there is no gene '{}'{}", name, config::suggestion(name, names)));
    const bool truth = !gene->symbolic() && (value_text == "true" || value_text == "false");
    const model::Value value = gene->symbolic() ? model::Value(value_text)
                               : truth          ? model::Value(std::int64_t{value_text == "true"})
                                                : model::Value(integer(name, value_text));
    if (!gene->index_of(value)) {
      std::vector<std::string> values;
      for (const model::Value& v : gene->values) values.push_back(model::to_string(v));
      usage(fmt::format("{}={} is none of {}", name, value_text, fmt::join(values, ", ")));
    }
    read.emplace_back(name, value);
  }
  return read;
}

std::vector<model::Workload> read_workloads(const std::vector<std::string>& texts,
                                            const model::Problem& problem) {
  std::vector<model::Workload> workloads;
  for (const std::string& text : texts) workloads.push_back(read_workload(text, problem, workloads.size()));
  check_compile_time_axes(workloads, problem);
  return workloads;
}

SourceExperiment read_source_experiment(const SourceRequest& request) {
  SourceExperiment result;
  model::Experiment& experiment = result.experiment;
  experiment = hand_made("check", load_problem_or_throw(request.problem));
  model::Problem& problem = experiment.problem;
  std::vector<std::string> names;
  for (const model::Template& kernel : problem.templates) names.push_back(kernel.name);
  const std::string wanted = request.kernel.empty() ? model::default_template(problem).name : request.kernel;
  if (!problem.find_template(wanted))
    usage(fmt::format("there is no template '{}'{}", wanted, config::suggestion(wanted, names)));

  result.template_source = problem.find_template(wanted)->source;
  model::Template kernel = *problem.find_template(wanted);
  kernel.source = read_source(request.source);
  kernel.generator_command.clear();  // the file is what a command would write
  // What the template predicts of its own source is not said of another.
  if (request.own_shared_memory && kernel.source != result.template_source) {
    kernel.launch.static_smem_open = true;
    for (model::LaunchModel& later : kernel.later_launches) later.static_smem_open = true;
  }
  const std::filesystem::path beside = std::filesystem::path(request.source).parent_path();
  config::add_headers_beside(beside, beside, kernel.source, kernel.headers);
  kernel.source_file = model::plain_file_name(std::filesystem::path(request.source).filename().string());
  problem.templates = {kernel};
  if (!request.reference.empty()) set_reference(problem, request.reference, kernel.source);
  experiment.baseline_template = wanted;
  experiment.baseline = kernel.space.initial();
  for (const auto& [name, value] : read_gene_values(request.genes, kernel.space))
    experiment.baseline.set(name, value);

  set_target_or_throw(experiment, request.target, model::ExitCode::usage);
  if (!request.device.empty()) experiment.device = request.device;
  experiment.input_seed = request.input_seed;

  if (!request.accuracy_class.empty()) experiment.accuracy_class = request.accuracy_class;
  if (!problem.find_tolerance(experiment.accuracy_class)) {
    std::vector<std::string> classes;
    for (const model::Tolerance& t : problem.tolerances) classes.push_back(t.accuracy_class);
    usage(fmt::format("unknown accuracy class '{}'{}", experiment.accuracy_class,
                      config::suggestion(experiment.accuracy_class, classes)));
  }
  if (!request.workloads.empty()) experiment.workloads.clear();
  for (const std::string& text : request.workloads) {
    experiment.workloads.push_back(read_workload(text, problem, experiment.workloads.size()));
  }
  check_compile_time_axes(experiment.workloads, problem);
  config::complete_workloads(experiment);
  apply_overrides_or_throw(experiment, request.set);
  return result;
}

}  // namespace evo::session
