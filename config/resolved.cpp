#include "config/resolved.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/language_models.hpp"
#include "config/target_profile.hpp"
#include "model/settings.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/weights.hpp"

namespace evo::config {
namespace {

/// Shortest text that reads back to the same double.
std::string number(double value) {
  return fmt::format("{}", value);
}

void write_value(YAML::Emitter& out, const model::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    out << *integer;
  } else {
    out << std::get<std::string>(value);
  }
}

void write_workloads(YAML::Emitter& out, const model::Experiment& experiment) {
  out << YAML::Key << "workloads" << YAML::Value << YAML::BeginSeq;
  for (const model::Workload& workload : experiment.workloads) {
    out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << workload.name << YAML::Key
        << "weight" << YAML::Value << number(workload.weight);
    for (const auto& [axis, value] : workload.axes) out << YAML::Key << axis << YAML::Value << value;
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

/// Left out where there are none: a run of an older evo keeps the hash of its experiment.
void write_starts(YAML::Emitter& out, const std::vector<model::InitialDesign>& starts) {
  if (starts.empty()) return;
  out << YAML::Key << "starts" << YAML::Value << YAML::BeginSeq;
  for (const model::InitialDesign& start : starts) {
    out << YAML::BeginMap << YAML::Key << "template" << YAML::Value << start.template_name;
    out << YAML::Key << "origin" << YAML::Value << start.origin;
    out << YAML::Key << "genes" << YAML::Value << YAML::Flow << YAML::BeginMap;
    for (const auto& [name, value] : start.genome.values()) {
      out << YAML::Key << name << YAML::Value;
      write_value(out, value);
    }
    out << YAML::EndMap << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

/// A section of settings, left open.
template <class Struct>
void begin_settings(YAML::Emitter& out, const char* section, const Struct& values) {
  out << YAML::Key << section << YAML::Value << YAML::BeginMap;
  model::for_each_setting<Struct>([&]<class T>(const model::Setting<Struct, T>& setting) {
    if (setting.bounds.later && values.*setting.member == Struct{}.*setting.member) return;
    out << YAML::Key << setting.name << YAML::Value;
    if constexpr (std::is_same_v<T, double>) {
      out << number(values.*setting.member);
    } else {
      out << values.*setting.member;
    }
  });
}

void write_search(YAML::Emitter& out, const model::SearchSettings& search) {
  begin_settings(out, "search", search);
  // Left out where they are the default: a run of an older evo keeps the hash of its experiment.
  if (search.bandit) {
    out << YAML::Key << "bandit" << YAML::Value << true << YAML::Key << "bandit_money" << YAML::Value
        << number(search.bandit_cost);
  }
  if (!search.archive.empty()) {
    out << YAML::Key << "archive" << YAML::Value << YAML::Flow << search.archive;
    out << YAML::Key << "archive_share" << YAML::Value << number(search.archive_share);
  }
  if (search.preset != model::default_preset) out << YAML::Key << "preset" << YAML::Value << search.preset;
  if (search.screen.on()) {
    out << YAML::Key << "screen" << YAML::Value << YAML::Flow << YAML::BeginMap << YAML::Key << "pool"
        << YAML::Value << search.screen.pool << YAML::Key << "explore" << YAML::Value
        << number(search.screen.explore) << YAML::EndMap;
  }
  out << YAML::Key << "mutators" << YAML::Value << YAML::Flow << YAML::BeginMap;
  const auto weights = mutators::weights_of(search);
  for (const std::string& name : mutators::operator_names()) {
    if (weights) out << YAML::Key << name << YAML::Value << number(weights->at(name));
  }
  for (const std::string& name : mutators::source_weight_names()) {
    if (weights && weights->contains(name))
      out << YAML::Key << name << YAML::Value << number(weights->at(name));
  }
  write_language_models(out, search.models);
  out << YAML::EndMap << YAML::EndMap;
}

}  // namespace

std::string resolved_yaml(const model::Experiment& experiment) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << experiment.name;
  out << YAML::Key << "problem" << YAML::Value << experiment.problem.folder;
  write_workloads(out, experiment);
  out << YAML::Key << "target" << YAML::Value;
  if (experiment.own_target) {
    write_profile(out, experiment.target);
  } else {
    out << experiment.target.name;
  }
  out << YAML::Key << "device" << YAML::Value << experiment.device;
  if (experiment.smem_limit > 0) out << YAML::Key << "smem_limit" << YAML::Value << experiment.smem_limit;
  out << YAML::Key << "accuracy_class" << YAML::Value << experiment.accuracy_class;
  if (!experiment.templates.empty()) {
    out << YAML::Key << "templates" << YAML::Value << YAML::Flow << experiment.templates;
  }
  out << YAML::Key << "baseline" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "template" << YAML::Value << experiment.baseline_template;
  out << YAML::Key << "genes" << YAML::Value << YAML::BeginMap;
  for (const auto& [name, value] : experiment.baseline.values()) {
    out << YAML::Key << name << YAML::Value;
    write_value(out, value);
  }
  out << YAML::EndMap << YAML::EndMap;
  write_starts(out, experiment.initial_designs);
  write_search(out, experiment.search);
  begin_settings(out, "budget", experiment.budget);
  // Left out where it is the default: a run of an older evo keeps the hash of its experiment.
  if (experiment.budget.insight_checks != model::Budget::default_insight_checks)
    out << YAML::Key << "insight_checks" << YAML::Value << experiment.budget.insight_checks;
  if (experiment.budget.stop_if.set())
    out << YAML::Key << "stop_if" << YAML::Value << model::text_of(experiment.budget.stop_if);
  out << YAML::EndMap;
  begin_settings(out, "gates", experiment.gates);
  if (!experiment.gates.counters.empty()) {
    out << YAML::Key << "counters" << YAML::Value << YAML::Flow << YAML::BeginSeq;
    for (const model::CounterBound& bound : experiment.gates.counters) out << model::text_of(bound);
    out << YAML::EndSeq;
  }
  out << YAML::EndMap;
  if (experiment.input_seed) out << YAML::Key << "input_seed" << YAML::Value << *experiment.input_seed;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace evo::config
