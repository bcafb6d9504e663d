#include "export/provenance.hpp"

#include <boost/json.hpp>
#include <cmath>

#include "export/stored_kernel.hpp"

namespace evo::exporting {
namespace json = boost::json;

namespace {

json::object to_json(const model::Genome& genome) {
  json::object genes;
  for (const auto& [name, value] : genome.values()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      genes[name] = *number;
    } else {
      genes[name] = std::get<std::string>(value);
    }
  }
  return genes;
}

/// Every number says how it was obtained.
json::object to_json(const model::Latency& latency) {
  json::object object{{"latency_us", latency.microseconds},
                      {"kind", std::string(model::name_of(latency.kind))},
                      {"method", latency.method},
                      {"samples", latency.samples}};
  if (latency.ci95) {
    object["ci95"] = json::array{(*latency.ci95)[0], (*latency.ci95)[1]};
  } else {
    object["ci95"] = nullptr;
  }
  return object;
}

json::value to_json(const std::vector<model::WorkloadLatency>& latencies) {
  if (latencies.empty()) return nullptr;
  json::object object = to_json(model::combine(latencies));
  json::array each;
  for (const auto& one : latencies) {
    json::object entry{{"workload", one.workload}, {"weight", one.weight}};
    for (auto& member : to_json(one.latency)) entry.insert(member);
    each.push_back(std::move(entry));
  }
  object["workloads"] = std::move(each);
  return object;
}

json::array texts(const std::vector<std::string>& items) {
  json::array array;
  for (const auto& item : items) array.emplace_back(item);
  return array;
}

json::array to_json(const std::vector<LineageStep>& lineage) {
  json::array steps;
  for (const auto& step : lineage) {
    json::object object{
        {"variant", step.variant},        {"parents", texts(step.parents)}, {"operator", step.operator_name},
        {"rationale", step.rationale},    {"generation", step.generation},  {"slot", step.slot},
        {"template", step.template_name}, {"genes", to_json(step.genome)},  {"status", step.status}};
    if (step.latency) {
      object["latency"] = to_json(*step.latency);
    } else {
      object["latency"] = nullptr;
    }
    steps.push_back(std::move(object));
  }
  return steps;
}

json::array to_json(const std::vector<BesideFigure>& beside) {
  json::array all;
  for (const BesideFigure& one : beside) {
    json::object entry{{"against", one.against}, {"cache", one.cache}};
    if (one.failure.empty()) {
      entry["decision"] = one.decision;
      entry["speedup"] = one.speedup;
      entry["interval"] = nullptr;
      if (one.interval) entry["interval"] = json::array{(*one.interval)[0], (*one.interval)[1]};
      entry["latency_kind"] = one.pairs > 0 ? "measured" : "modelled";
      if (one.pairs > 0) entry["pairs"] = one.pairs;
    } else {
      entry["failure"] = one.failure;
    }
    all.push_back(std::move(entry));
  }
  return all;
}

void print(const json::value& value, std::string& out, std::size_t indent) {
  const auto line = [&](std::size_t depth) {
    out += '\n';
    out.append(2 * depth, ' ');
  };
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '{';
    for (const char* comma = ""; const auto& [key, member] : *object) {
      out += comma;
      comma = ",";
      line(indent + 1);
      out += json::serialize(json::value(key)) + ": ";
      print(member, out, indent + 1);
    }
    line(indent);
    out += '}';
  } else if (const auto* array = value.if_array();
             array != nullptr && !array->empty() && (*array)[0].is_object()) {
    out += '[';
    for (const char* comma = ""; const auto& member : *array) {
      out += comma;
      comma = ",";
      line(indent + 1);
      print(member, out, indent + 1);
    }
    line(indent);
    out += ']';
  } else if (const auto* number = value.if_double(); number != nullptr && !std::isfinite(*number)) {
    out += "null";  // JSON has no other word for it
  } else {
    out += json::serialize(value);
  }
}

json::object toolchain_and_device(const Provenance& from, const model::TargetProfile& target) {
  return {{"device", {{"kind", from.device_kind}, {"name", from.device_name}, {"driver", from.driver}}},
          {"target", {{"name", target.name}, {"arch", target.arch}}},
          {"toolchain", from.toolchain}};
}

}  // namespace

std::string write_provenance(const ExportRequest& request, const std::map<std::string, std::string>& files,
                             const Selftest& selftest, const std::filesystem::path& folder) {
  const Provenance& from = request.provenance;
  json::object document{
      {"format", "evo provenance 1"},
      {"evo_version", from.evo_version},
      {"problem", request.problem.name},
      {"problem_sha256", from.problem_hash.empty() ? request.problem.content_hash : from.problem_hash},
      {"template", request.kernel_template.name},
      {"entry", request.kernel_template.entry},
      {"variant", request.variant.id},
      {"genes", to_json(request.variant.genome)},
      {"status", from.status},
      {"code_hash", from.code_hash}};
  std::vector<std::string> kinds;
  for (const model::OracleKind kind : model::oracle_kinds(request.problem))
    kinds.emplace_back(model::name_of(kind));
  document["oracle"] = {{"kinds", texts(kinds)}, {"claim", model::oracle_claim(request.problem)}};
  json::object accuracy{{"class", request.accuracy_class}};
  if (const auto* tolerance = request.problem.find_tolerance(request.accuracy_class)) {
    accuracy["relative_frobenius"] = tolerance->relative_frobenius;
    accuracy["max_abs_over_rms"] = tolerance->max_abs_over_rms;
    if (const auto& rule = tolerance->reference_factor)
      accuracy["reference_factor"] = {{"factor", rule->factor}, {"absolute", rule->absolute}};
    std::vector<std::string> sets = tolerance->input_sets;
    if (sets.empty()) {
      for (const auto& set : request.problem.input_sets) sets.push_back(set.name);
    }
    accuracy["input_sets"] = texts(sets);
  }
  document["accuracy"] = std::move(accuracy);
  if (selftest.missing.empty()) {
    document["selftest"] = {{"against", selftest.against}, {"bounds", selftest.bounds}};
  } else {
    document["selftest"] = {{"missing", selftest.missing}};
  }
  for (auto& member : toolchain_and_device(from, request.target)) document.insert(member);
  if (!request.variant.options.empty()) {
    json::array options;
    for (const std::string& option : request.variant.options) options.emplace_back(option);
    document["compile_options"] = std::move(options);
  }
  document["experiment"] = from.experiment;
  document["run"] = from.run;
  document["seed"] = from.seed;
  document["input_seed"] = from.input_seed;
  document["lineage_sha256"] = from.lineage_sha256;

  json::object measurements{{"variant", to_json(from.latencies)},
                            {"baseline", to_json(from.baseline_latencies)},
                            {"baseline_variant", from.baseline_variant},
                            {"speedup", nullptr}};
  if (!from.latencies.empty() && !from.baseline_latencies.empty()) {
    const auto mine = model::combine(from.latencies), base = model::combine(from.baseline_latencies);
    // A ratio of a measured and a modelled number would mean nothing.
    if (mine.kind == base.kind && mine.microseconds > 0)
      measurements["speedup"] = base.microseconds / mine.microseconds;
  }
  if (const auto& figure = from.final_figure) {
    json::value interval = nullptr;
    if (figure->interval) interval = json::array{(*figure->interval)[0], (*figure->interval)[1]};
    measurements["final_verdict"] = {{"decision", figure->decision},     {"cache", figure->cache},
                                     {"speedup", figure->speedup},       {"interval", std::move(interval)},
                                     {"confidence", figure->confidence}, {"margin", figure->margin},
                                     {"pairs", figure->pairs},           {"beside", to_json(figure->beside)}};
    // Taken in the run's end on data that the search has not seen, and in turn where it was measured.
    if (figure->speedup > 0) measurements["speedup"] = figure->speedup;
  } else {
    measurements["final_verdict"] = nullptr;
  }
  document["measurements"] = std::move(measurements);
  if (from.resources) {
    const auto& used = *from.resources;
    document["resources"] = {{"registers", used.registers},
                             {"spill_store_bytes", used.spill_store_bytes},
                             {"spill_load_bytes", used.spill_load_bytes},
                             {"stack_bytes", used.stack_bytes},
                             {"static_smem_bytes", used.static_smem_bytes},
                             {"constant_bytes", used.constant_bytes},
                             {"barriers", used.barriers}};
  } else {
    document["resources"] = nullptr;
  }
  document["lineage"] = to_json(from.lineage);
  // What `evo compare` needs to build the same variant when the template has changed since.
  document["kernel"] = to_json(
      StoredKernel{request.problem.name, request.kernel_template.name, request.kernel_template.source_file,
                   request.kernel_template.source, request.kernel_template.entry,
                   request.kernel_template.headers, request.variant.genome, request.workloads,
                   request.target.name, request.accuracy_class, request.variant.id,
                   folder_from_here(request.problem.folder), folder_from_root(request.problem.folder),
                   request.problem.content_hash},
      folder);
  json::object sums;
  for (const auto& [file, sum] : files) sums[file] = sum;
  document["files_sha256"] = std::move(sums);

  std::string text;
  print(document, text, 0);
  return text + "\n";
}

}  // namespace evo::exporting
