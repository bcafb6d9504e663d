#include "diagnose/lab.hpp"

#include <utility>

#include <fmt/format.h>

#include "diagnose/session.hpp"
#include "diagnose/tokens.hpp"
#include "evaluators/gates/evidence.hpp"
#include "evaluators/gates/proxy_fences.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/plain_errors.hpp"
#include "evaluators/oracle/reference_cache.hpp"

namespace evo::diagnose {
namespace {

namespace devices = evaluators::devices;
namespace oracle = evaluators::oracle;
using model::ArgumentRole;

std::string key_of(const model::Workload& workload, const model::InputSet& set) {
  std::string key = workload.name + "/" + set.name;
  for (const auto& [axis, value] : workload.axes) key += fmt::format("/{}={}", axis, value);
  return key;
}

/// What one launch left, against the reference; the first argument that is wrong gives the reason.
void judge(const Subject& subject, const oracle::Reference& reference, Session& session,
           Observation& result) {
  for (std::size_t i = 0; i < result.bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = result.bound.arguments[i];
    if (argument.role == ArgumentRole::scalar) continue;
    auto bytes = session.read(i, static_cast<std::size_t>(oracle::buffer_bytes(argument)));
    if (!bytes) {
      result.failure = bytes.error();
      return;
    }
    result.contents[i] = std::move(*bytes);
    if (argument.role == ArgumentRole::input && result.contents[i] != result.inputs[i] && !result.failure) {
      result.failure =
          evaluators::gates::fail(model::Status::wrong, "input_modified",
                                  fmt::format("{}: the kernel wrote to an input", argument.name));
    }
    if (!model::is_judged(argument.role)) continue;
    oracle::CompareOptions options = oracle::options_for(subject.tolerance, reference, i);
    options.poison = session.pattern(i);
    options.zeroed = argument.zeroed;
    if (model::is_given(argument.role)) {
      options.given = result.inputs[i];
      options.poison.reset();
    }
    result.comparisons[i] = oracle::compare(argument, result.contents[i], reference.outputs[i], options);
    if (!result.comparisons[i]->pass && !result.failure) {
      result.failure = evaluators::gates::fail(model::Status::wrong, result.comparisons[i]->reason,
                                               result.comparisons[i]->text(argument.name));
    }
  }
}

}  // namespace

bool same_kind(const model::Failure& a, const model::Failure& b) {
  return a.status == b.status && a.reason == b.reason;
}

Lab::Lab(const Subject& subject, evaluators::compile::Compiler& compiler,
         evaluators::gates::DeviceFactory devices, double seconds)
    : subject_(subject), compiler_(compiler), devices_(std::move(devices)), limit_seconds_(seconds) {}

double Lab::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}
bool Lab::expired() const {
  return lost() || seconds() > limit_seconds_;
}
bool Lab::lost() const {
  return device_ && device_->lost() && device_->info().kind == "cuda";
}

void Lab::at(const std::string& what) {
  at_ = what;
  if (told_) told_(at_, observations_);
}

devices::Device& Lab::device() {
  if (!device_ || device_->lost()) device_ = devices_();
  return *device_;
}

devices::Outcome<model::Artifact> Lab::compile(const std::string& text, bool quick) {
  const std::string source = quick ? without_unrolling(text) : text;
  const auto known = artifacts_.find(source);
  if (known != artifacts_.end()) return known->second;
  evaluators::compile::CompileRequest request;
  request.source = source;
  request.source_file = subject_.kernel_template.source_file;
  std::vector<std::string> entries =
      model::render_entries(subject_.kernel_template, subject_.space, subject_.candidate.genome);
  request.entry = entries.empty() ? subject_.kernel_template.entry : entries.front();
  if (!entries.empty()) request.other_entries.assign(entries.begin() + 1, entries.end());
  request.arch = subject_.target.arch;
  request.headers = subject_.kernel_template.headers;
  request.timeout_s = subject_.settings.compile_timeout_s;
  request.memory_mb = subject_.settings.compile_memory_mb;
  if (quick) request.options.emplace_back("--ptxas-options=-O0");
  return artifacts_.emplace(source, compiler_.compile(request)).first->second;
}

const Lab::Data& Lab::data_of(const model::Case& bound, const Setup& setup) {
  const model::InputSet& set = subject_.set(setup.input_set);
  const oracle::Oracle* reference = subject_.known.find_oracle(subject_.problem.oracle);
  if (!reference) throw invalid(fmt::format("there is no oracle called {}", subject_.problem.oracle));
  const auto fill = [&](Data& data) {
    auto outputs = reference->compute(bound, data.inputs);
    if (!outputs) throw invalid(outputs.error().text());
    data.reference = {std::move(*outputs), {}, {}, {}, oracle::rules_of(subject_.known, set)};
    if (!subject_.tolerance.reference_factor) return;
    auto plain_errors = oracle::measure_plain(*reference, bound, data.inputs, data.reference);
    if (!plain_errors) throw invalid(plain_errors.error().text());
    data.reference.plain_errors = std::move(*plain_errors);
  };
  if (setup.inputs) {
    given_.inputs = *setup.inputs;
    fill(given_);
    return given_;
  }
  const std::string key = key_of(setup.workload, set);
  if (const auto known = data_.find(key); known != data_.end()) return known->second;
  auto inputs = oracle::make_inputs(subject_.known, bound, set, {.seed = subject_.input_seed});
  if (!inputs) throw invalid(inputs.error().text());
  Data data;
  data.inputs = std::move(*inputs);
  // As the correctness gate judges: a sum that cancels is off by what its inputs' rounding moves it, and what
  // lies beyond an output's type, or single precision, is passed over in a set that nobody declared.
  const bool undeclared = setup.input_set >= subject_.input_sets.size();
  if (undeclared || oracle::rounding_of_inputs(bound) > 0) {
    const evaluators::oracle::ReferenceCache references(subject_.known);
    constexpr double most = 3e-3;
    const double told = subject_.tolerance.backward_error;
    const double backward = std::min(told > 0 ? told : subject_.tolerance.relative_frobenius, most);
    const double conditioning =
        oracle::rules_of(subject_.known, set).conditioned ? backward : oracle::rounding_of_inputs(bound);
    const auto made =
        references.make(subject_.problem.oracle, bound, set, {.seed = subject_.input_seed},
                        subject_.tolerance.reference_factor.has_value(), conditioning, {}, data.inputs);
    data.reference = *made;
    data.in_domain = made->in_domain;
    return data_.emplace(key, std::move(data)).first->second;
  }
  fill(data);
  return data_.emplace(key, std::move(data)).first->second;
}

void Lab::launch_all(const model::Artifact& artifact, const Setup& setup, const Data& data,
                     Observation& result) {
  Session session(device(), result.bound);
  const auto prepare = [&]() -> Session::Done {
    if (auto done = session.load(artifact); !done) return done;
    if (auto done = session.allocate(setup.shift); !done) return done;
    return session.write_inputs(data.inputs);
  };
  if (auto done = prepare(); !done) {
    result.failure = done.error();
    return;
  }
  devices::LaunchOptions options;
  options.schedule_seed = setup.schedule_seed;
  options.instruction_budget =
      setup.instruction_budget > 0 ? setup.instruction_budget : subject_.settings.instruction_budget;
  options.timeout_ms = subject_.settings.launch_timeout_ms;
  options.equal_writes = !subject_.problem.equal_writes.empty();
  for (int launch = 1; launch <= setup.launches; ++launch) {
    const auto draw = setup.poison + 16 * static_cast<std::uint32_t>(launch);
    const auto run = [&]() -> Session::Done {
      if (setup.reload && launch > 1) {
        if (auto done = session.load(artifact); !done) return done;
      }
      if (launch == 1 || setup.workspace_each) {
        auto done = setup.workspace == WorkspaceFill::zero ? session.zero(ArgumentRole::workspace)
                                                           : session.poison(ArgumentRole::workspace, draw);
        if (!done) return done;
      }
      if (auto done = session.poison(ArgumentRole::output, draw); !done) return done;
      return session.launch(options);
    };
    if (auto done = run(); !done) {
      result.failure = done.error();
    } else {
      judge(subject_, data.reference, session, result);
    }
    if (result.failure) {
      result.failing_launch = launch;
      return;
    }
  }
}

Observation Lab::observe(const Candidate& candidate, const Setup& setup) {
  ++observations_;
  if (told_) told_(at_, observations_);
  Observation result;
  auto bound = model::bind_case(subject_.problem, subject_.kernel_template, subject_.space, candidate.genome,
                                setup.workload);
  if (!bound) {
    result.failure = evaluators::gates::fail(model::Status::illegal, "binding", bound.error().text());
    return result;
  }
  result.bound = std::move(*bound);
  result.contents.resize(result.bound.arguments.size());
  result.comparisons.resize(result.bound.arguments.size());
  model::Template kernel = subject_.kernel_template;
  kernel.source = candidate.source;
  const auto artifact =
      compile(model::render_source(kernel, subject_.space, candidate.genome), setup.quick_build);
  if (!artifact) {
    result.failure = artifact.error();
    return result;
  }
  if (result.failure = evaluators::gates::check_proxy_fences(*artifact); result.failure) return result;
  const Data& data = data_of(result.bound, setup);
  if (!data.in_domain) return result;
  result.references = data.reference.outputs;
  result.inputs = data.inputs;
  launch_all(*artifact, setup, data, result);
  return result;
}

}  // namespace evo::diagnose
