#include "session/tuner_results.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>

#include "model/error.hpp"

namespace evo::session {
namespace {

namespace json = boost::json;
using engine::TrialRecord;
using model::Status;

json::value to_json(const model::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return json::value(std::get<std::string>(value));
}

/// The template that is meant; its trials are what is written.
const model::Template& chosen(const model::Experiment& experiment, const std::vector<TrialRecord>& trials,
                              const std::string& name) {
  std::set<std::string> tried;
  for (const TrialRecord& trial : trials) tried.insert(trial.template_name);
  if (name.empty() && tried.size() != 1) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("the run has trials of several templates, and such a file holds one "
                                       "space: name one with --template ({})",
                                       fmt::join(tried, ", ")));
  }
  const std::string wanted = name.empty() ? *tried.begin() : name;
  const model::Template* found = experiment.problem.find_template(wanted);
  if (found == nullptr || !tried.contains(wanted)) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("the run has no trial of a template '{}'; it has {}", wanted, fmt::join(tried, ", ")));
  }
  return *found;
}

json::object configuration(const model::Template& kernel, const TrialRecord& trial) {
  json::object object;
  for (const model::Gene& gene : kernel.space.genes())
    object[gene.name] = to_json(trial.genome.at(gene.name));
  return object;
}

/// Milliseconds that the gates of this kind took.
double spent(const TrialRecord& trial, std::initializer_list<model::Gate> gates) {
  double sum = 0;
  for (const engine::GateRecord& record : trial.gates) {
    if (std::find(gates.begin(), gates.end(), record.gate) != gates.end()) sum += record.milliseconds;
  }
  return sum;
}

bool has_time(const TrialRecord& trial) {
  return trial.latency().has_value() &&
         (model::is_proven_correct(trial.status) || trial.status == Status::duplicate);
}

struct Words {
  const char* cache;
  const char* t4;
};

/// How the others call this end. They have one word for all that is found by running.
Words words_of(const TrialRecord& trial) {
  if (has_time(trial)) return {"", "correct"};
  switch (trial.status) {
    case Status::illegal:
    case Status::parse_error:
      return {"InvalidConfig", "constraints"};
    case Status::compile_error:
    case Status::over_budget:
      return {"CompilationFailedConfig", "compile"};
    case Status::compile_timeout:
    case Status::timeout:
      return {"RuntimeFailedConfig", "timeout"};
    case Status::launch_error:
    case Status::device_fault:
    case Status::unsupported:
    case Status::quarantined:
      return {"RuntimeFailedConfig", "runtime"};
    default:
      return {"RuntimeFailedConfig", "correctness"};
  }
}

double milliseconds(const TrialRecord& trial) {
  return trial.latency()->microseconds / 1000;
}

}  // namespace

json::object kernel_tuner_cache(const model::Experiment& experiment, const engine::RunMeta& meta,
                                const std::vector<TrialRecord>& trials, const std::string& template_name) {
  const model::Template& kernel = chosen(experiment, trials, template_name);
  json::array keys, size;
  json::object values, cache;
  for (const model::Gene& gene : kernel.space.genes()) {
    keys.emplace_back(gene.name);
    json::array list;
    for (const model::Value& value : gene.values) list.push_back(to_json(value));
    values[gene.name] = std::move(list);
  }
  for (const auto& [name, value] : experiment.workloads.front().axes) size.emplace_back(value);
  for (const TrialRecord& trial : trials) {
    if (trial.template_name != kernel.name) continue;
    json::object entry = configuration(kernel, trial);
    std::vector<std::string> parts;
    for (const model::Gene& gene : kernel.space.genes())
      parts.push_back(model::to_string(trial.genome.at(gene.name)));
    const std::string key = fmt::format("{}", fmt::join(parts, ","));
    if (cache.contains(key)) continue;  // proposed again: the first verdict stands
    if (has_time(trial)) {
      entry["time"] = milliseconds(trial);
      entry["times"] = json::array{milliseconds(trial)};
    } else {
      entry["time"] = words_of(trial).cache;
    }
    entry["compile_time"] = spent(trial, {model::Gate::compile, model::Gate::resources});
    entry["verification_time"] = spent(trial, {model::Gate::sanitize, model::Gate::correctness});
    entry["benchmark_time"] = spent(trial, {model::Gate::latency});
    entry["strategy_time"] = 0;
    entry["framework_time"] = 0;
    entry["evo_status"] = std::string(model::name_of(trial.status));
    cache[key] = std::move(entry);
  }
  return {{"device_name", meta.device_name},
          {"kernel_name", kernel.entry},
          {"problem_size", std::move(size)},
          {"tune_params_keys", std::move(keys)},
          {"tune_params", std::move(values)},
          {"objective", "time"},
          {"evo_latency_kind", std::string(model::name_of(meta.latency_kind))},
          {"cache", std::move(cache)}};
}

json::object t4_results(const model::Experiment& experiment, const engine::RunMeta& meta,
                        const std::vector<TrialRecord>& trials, const std::string& template_name) {
  const model::Template& kernel = chosen(experiment, trials, template_name);
  json::array results;
  for (const TrialRecord& trial : trials) {
    if (trial.template_name != kernel.name) continue;
    json::array runtimes;
    json::value time = words_of(trial).cache;
    if (has_time(trial)) {
      time = milliseconds(trial);
      runtimes.emplace_back(milliseconds(trial));
    }
    results.push_back(
        json::object{{"configuration", configuration(kernel, trial)},
                     {"times",
                      {{"compilation_time", spent(trial, {model::Gate::compile, model::Gate::resources})},
                       {"validation", spent(trial, {model::Gate::sanitize, model::Gate::correctness})},
                       {"search_algorithm", 0},
                       {"framework", 0},
                       {"runtimes", std::move(runtimes)}}},
                     {"invalidity", words_of(trial).t4},
                     {"correctness", has_time(trial) ? 1 : 0},
                     {"measurements",
                      json::array{{{"name", "time"}, {"value", std::move(time)}, {"unit", "milliseconds"}}}},
                     {"objectives", json::array{"time"}}});
  }
  return {{"schema_version", "1.0.0"},
          {"metadata",
           {{"timeunit", "milliseconds"},
            {"device", meta.device_name},
            {"evo_latency_kind", std::string(model::name_of(meta.latency_kind))}}},
          {"results", std::move(results)}};
}

}  // namespace evo::session
