#include "suites/attack_subject.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "config/loader.hpp"
#include "model/error.hpp"
#include "model/file_name.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/targets.hpp"

namespace evo::suites {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw model::Exception(model::ExitCode::invalid_configuration, "cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

model::Workload read_workload(const std::string& text) {
  model::Workload workload{"timed", 1, {}};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t equals = text.find('=', begin);
    if (equals >= end)
      throw model::Exception(model::ExitCode::invalid_configuration, "no axis=value: " + text);
    workload.axes[text.substr(begin, equals - begin)] = std::stoll(text.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return workload;
}

model::Experiment kernel_experiment(const Attack& attack, const fs::path& folder, std::uint64_t input_seed) {
  model::Experiment experiment = session::hand_made(
      attack.name, session::load_problem_or_throw((folder / "problems" / attack.problem).string()));
  const model::Template* found = experiment.problem.find_template(attack.kernel);
  if (found == nullptr) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("problem {} has no template {}", attack.problem, attack.kernel));
  }
  model::Template kernel = *found;
  kernel.source = read_text(attack.file);
  // What an earlier run compiled under a longer limit must not answer for the compiler now.
  if (attack.file.parent_path().filename() == "compile")
    kernel.source += fmt::format("\n// {}\n", input_seed);
  kernel.source_file = model::plain_file_name(attack.file.filename().string());
  session::use_only(experiment, kernel);
  session::set_target_or_throw(experiment, attack.target);
  experiment.input_seed = input_seed;
  experiment.workloads = {read_workload(attack.workload)};
  experiment.gates.compile_timeout_s = 10;
  experiment.gates.compile_memory_mb = 1500;
  experiment.gates.instruction_budget = 2'000'000'000;
  experiment.gates.launch_timeout_ms = 500;
  config::complete_workloads(experiment);
  session::apply_overrides_or_throw(experiment, attack.set);
  return experiment;
}

template <class T>
T or_throw(model::Expected<T> value) {
  if (!value) throw model::Exception(model::ExitCode::invalid_configuration, value.error().text());
  return std::move(*value);
}

/// The ladder's gates and their settings are those of a run: only the timed workload is small.
model::Experiment bug_experiment(const SeededBug& bug, const std::string& problem, std::uint64_t input_seed) {
  model::Experiment experiment = session::hand_made(bug.name, session::load_problem_or_throw(problem));
  const model::Template* found = experiment.problem.find_template(bug.template_name);
  if (found == nullptr) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("{}: there is no template {}", bug.name, bug.template_name));
  }
  model::Template kernel = *found;
  static_cast<void>(or_throw(seed_bug(kernel, bug)));
  session::use_only(experiment, kernel);
  experiment.baseline = or_throw(genome_of(kernel, bug));
  session::set_target_or_throw(experiment, bug.target);
  experiment.input_seed = input_seed;
  experiment.workloads = {experiment.problem.check_workloads.front()};
  experiment.gates.instruction_budget = 300'000'000;
  config::complete_workloads(experiment);
  return experiment;
}

}  // namespace

model::Experiment attack_experiment(const Attack& attack, const fs::path& folder, std::uint64_t input_seed) {
  return attack.bug ? bug_experiment(*attack.bug, attack.problem, input_seed)
                    : kernel_experiment(attack, folder, input_seed);
}

}  // namespace evo::suites
