#include "evaluators/selftest/cases.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/case_matrix.hpp"
#include "evaluators/gates/compile.hpp"
#include "model/error.hpp"
#include "model/records.hpp"

namespace evo::evaluators::selftest {
namespace {

constexpr double most_flops = 16777216;  // 2^24: some ten milliseconds on the virtual device

/// A problem need not say how much work it is, but nothing is done without threads.
double work_of(const model::Case& bound) {
  double threads = 1;
  for (const auto& sizes : {bound.launch.grid, bound.launch.block}) {
    for (const auto size : sizes) threads *= static_cast<double>(size);
  }
  return std::max(bound.flops, 16 * threads);
}

bool is_small(const model::Case& bound) {
  return work_of(bound) <= most_flops;
}

int dimensions_above_one(const model::Case& bound) {
  int count = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    for (const std::int64_t size : argument.shape) count += size > 1;
  }
  return count;
}

}  // namespace

Domain domain_of(const model::Experiment& experiment) {
  const model::Tolerance* tolerance = experiment.problem.find_tolerance(experiment.accuracy_class);
  if (tolerance == nullptr) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("problem {} has no accuracy class {}", experiment.problem.name,
                                       experiment.accuracy_class));
  }
  Domain domain{*tolerance, {}};
  for (const model::InputSet& set : experiment.problem.input_sets) {
    const auto& named = tolerance->input_sets;
    if (named.empty() || std::find(named.begin(), named.end(), set.name) != named.end())
      domain.sets.push_back(set);
  }
  return domain;
}

std::vector<model::Case> small_cases(const model::Experiment& experiment) {
  const model::Template* kernel = experiment.problem.find_template(experiment.baseline_template);
  if (kernel == nullptr) {
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("problem {} has no template {}", experiment.problem.name, experiment.baseline_template));
  }
  const gates::TemplateContext context = gates::make_context(experiment, *kernel);
  auto bound = gates::bind_variant(context, experiment.baseline);
  if (!bound) throw model::Exception(model::ExitCode::invalid_configuration, bound.error().text());
  std::vector<model::Case> cases = std::move(bound->check_workloads);
  std::move(bound->workloads.begin(), bound->workloads.end(), std::back_inserter(cases));
  // Recorded arrays answer for the declared shapes alone.
  const bool recorded = model::oracle_kinds(experiment.problem) == std::vector{model::OracleKind::files};
  if (std::ranges::none_of(cases, is_small) && !recorded) {
    std::vector<std::int64_t> static_smem;
    for (const auto& bytes : bound->static_smem) static_smem.push_back(bytes.value_or(0));
    for (gates::DerivedCase& derived :
         gates::derive_cases(context, experiment.baseline, static_smem, 0, {})) {
      const bool plain = derived.use == gates::CaseUse::drawn || derived.use == gates::CaseUse::placed;
      if (plain && is_small(derived.bound)) cases.push_back(std::move(derived.bound));
    }
  }
  std::stable_sort(cases.begin(), cases.end(), [](const model::Case& a, const model::Case& b) {
    return std::tuple(!is_small(a), -dimensions_above_one(a), a.flops) <
           std::tuple(!is_small(b), -dimensions_above_one(b), b.flops);
  });
  const auto heavy =
      std::ranges::find_if(cases, [](const model::Case& bound_case) { return !is_small(bound_case); });
  cases.erase(std::max(heavy, std::min(cases.begin() + 1, cases.end())), cases.end());
  return cases;
}

gates::DeviceJob make_job(const Subject& subject, model::Artifact artifact, std::vector<model::Case> cases) {
  const model::Experiment& experiment = subject.experiment;
  Domain domain = domain_of(experiment);
  gates::DeviceJob job;
  job.artifact = std::move(artifact);
  gates::name_oracle(job, experiment.problem.oracle, subject.known);
  job.input_sets = std::move(domain.sets);
  job.tolerance = std::move(domain.tolerance);
  job.cases = std::move(cases);
  job.workload_count = 1;
  job.input_seed = subject.input_seed;
  job.settings = experiment.gates;
  job.settings.repeated_launches = 2;
  job.settings.permuted_runs = 1;
  return job;
}

tl::expected<model::Artifact, model::Failure> compile_for_device(const Subject& subject,
                                                                 compile::CompileRequest request) {
  const std::string device = subject.runner.info().arch;
  const std::string& target = subject.experiment.target.arch;
  request.arch = gates::runs_as_is(target, device) ? target : device;
  request.timeout_s = subject.experiment.gates.compile_timeout_s;
  request.memory_mb = subject.experiment.gates.compile_memory_mb;
  return subject.compiler.compile(request);
}

const model::Failure* failure_of(const gates::DeviceResult& result) {
  for (const model::GateResult& gate : result.gates) {
    if (gate.failure) return &*gate.failure;
  }
  return nullptr;
}

std::string describe(const model::Failure* failure) {
  if (failure == nullptr) return "passed";
  return fmt::format("{} ({}){}", model::name_of(failure->status), failure->reason,
                     failure->evidence.empty() ? "" : ": " + failure->evidence.front().message);
}

std::string bits_type(model::DType dtype) {
  const bool small_float = model::is_floating(dtype) && model::size_of(dtype) < 4;
  if (small_float) return model::size_of(dtype) == 2 ? "unsigned short" : "unsigned char";
  return std::string(model::c_type_of(dtype));
}

std::string parameters(const model::Case& bound, bool floats) {
  std::string text;
  const auto taken = model::record_parameters(bound.arguments);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (taken && std::ranges::find(*taken, static_cast<std::uint32_t>(i)) == taken->end()) continue;
    if (const auto record = model::record_of(argument.name); !record.empty()) {
      text += fmt::format("{}unsigned char* {}", text.empty() ? "" : ", ", record);
      continue;
    }
    std::string type = bits_type(argument.dtype);
    if (floats) type = model::c_type_of(argument.dtype);
    if (!text.empty()) text += ", ";
    if (argument.role == model::ArgumentRole::scalar) {
      text += fmt::format("{} {}", type, argument.name);
    } else {
      text += fmt::format("{}{}* {}", argument.role == model::ArgumentRole::input ? "const " : "", type,
                          argument.name);
    }
  }
  return text;
}

}  // namespace evo::evaluators::selftest
