#include "config/resolved.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/target_profile.hpp"
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

void write_search(YAML::Emitter& out, const model::SearchSettings& search) {
  out << YAML::Key << "search" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "strategy" << YAML::Value << search.strategy;
  out << YAML::Key << "population" << YAML::Value << search.population;
  out << YAML::Key << "generations" << YAML::Value << search.generations;
  out << YAML::Key << "window" << YAML::Value << search.window;
  out << YAML::Key << "seed" << YAML::Value << search.seed;
  out << YAML::Key << "tournament" << YAML::Value << search.tournament;
  out << YAML::Key << "elite" << YAML::Value << search.elite;
  out << YAML::Key << "mutation" << YAML::Value << number(search.mutation);
  out << YAML::Key << "insights" << YAML::Value << search.insights;
  out << YAML::Key << "mutators" << YAML::Value << YAML::Flow << YAML::BeginMap;
  const auto weights = mutators::weights_of(search);
  for (const std::string& name : mutators::operator_names()) {
    if (weights) out << YAML::Key << name << YAML::Value << number(weights->at(name));
  }
  for (const std::string& name : mutators::source_weight_names()) {
    if (weights && weights->contains(name))
      out << YAML::Key << name << YAML::Value << number(weights->at(name));
  }
  out << YAML::EndMap;
  out << YAML::EndMap;
}

void write_budget(YAML::Emitter& out, const model::Budget& budget) {
  out << YAML::Key << "budget" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "trials" << YAML::Value << budget.trials;
  out << YAML::Key << "wall_seconds" << YAML::Value << number(budget.wall_seconds);
  out << YAML::Key << "device_seconds" << YAML::Value << number(budget.device_seconds);
  out << YAML::Key << "money" << YAML::Value << number(budget.money);
  out << YAML::Key << "hourly_price" << YAML::Value << number(budget.hourly_price);
  out << YAML::EndMap;
}

void write_gates(YAML::Emitter& out, const model::GateSettings& gates) {
  out << YAML::Key << "gates" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "repeated_launches" << YAML::Value << gates.repeated_launches;
  out << YAML::Key << "permuted_runs" << YAML::Value << gates.permuted_runs;
  out << YAML::Key << "champion_launches" << YAML::Value << gates.champion_launches;
  out << YAML::Key << "champion_orders" << YAML::Value << gates.champion_orders;
  out << YAML::Key << "sanitizer_timeout_s" << YAML::Value << gates.sanitizer_timeout_s;
  out << YAML::Key << "max_spill_bytes" << YAML::Value << gates.max_spill_bytes;
  out << YAML::Key << "instruction_budget" << YAML::Value << gates.instruction_budget;
  out << YAML::Key << "launch_timeout_ms" << YAML::Value << number(gates.launch_timeout_ms);
  out << YAML::Key << "compile_timeout_s" << YAML::Value << number(gates.compile_timeout_s);
  out << YAML::Key << "compile_memory_mb" << YAML::Value << gates.compile_memory_mb;
  out << YAML::Key << "timing_samples" << YAML::Value << gates.timing_samples;
  out << YAML::Key << "timing_launches" << YAML::Value << gates.timing_launches;
  out << YAML::Key << "timing_warmup" << YAML::Value << gates.timing_warmup;
  out << YAML::Key << "paired_rounds" << YAML::Value << gates.paired_rounds;
  out << YAML::Key << "timing_resolution" << YAML::Value << number(gates.timing_resolution);
  out << YAML::EndMap;
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
  write_search(out, experiment.search);
  write_budget(out, experiment.budget);
  write_gates(out, experiment.gates);
  if (experiment.input_seed) out << YAML::Key << "input_seed" << YAML::Value << *experiment.input_seed;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace evo::config
