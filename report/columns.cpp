#include "report/columns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "report/json_output.hpp"
#include "report/timing_output.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;
using engine::TrialRecord;

constexpr std::array gates{model::Gate::legality, model::Gate::compile,     model::Gate::resources,
                           model::Gate::sanitize, model::Gate::correctness, model::Gate::latency,
                           model::Gate::profile};

/// Texts that repeat: each once, and which of them a row has.
class Words {
 public:
  void add(std::string_view word) { of_.push_back(number(word)); }
  [[nodiscard]] json::object take() { return {{"values", std::move(values_)}, {"of", std::move(of_)}}; }

 private:
  std::int64_t number(std::string_view word) {
    const auto [found, added] =
        numbers_.try_emplace(std::string(word), static_cast<std::int64_t>(numbers_.size()));
    if (added) values_.emplace_back(word);
    return found->second;
  }
  std::unordered_map<std::string, std::int64_t> numbers_;
  json::array values_, of_;
};

/// Milliseconds to a thousandth: more says nothing of a wall clock.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

/// Which trial, by its row, had a variant first; texts that are no trial's stay texts.
class Rows {
 public:
  explicit Rows(const std::vector<TrialRecord>& trials) {
    for (std::size_t row = 0; row < trials.size(); ++row)
      first_.try_emplace(trials[row].variant, static_cast<std::int64_t>(row));
  }
  [[nodiscard]] json::value of(const std::string& variant) const {
    const auto found = first_.find(variant);
    return found == first_.end() ? json::value(variant) : json::value(found->second);
  }

 private:
  std::unordered_map<std::string, std::int64_t> first_;
};

json::value bound(const std::optional<model::Latency>& latency, std::size_t end) {
  if (!latency || !latency->ci95) return nullptr;
  return (*latency->ci95)[end];
}

/// {"space": {template: {gene: [values]}}, "genomes": [[number of the value, ...]]}: the numbers of a row
/// stand in the order of its template's genes; -1 for a gene that the row lacks.
void add_genes(json::object& columns, const std::vector<TrialRecord>& trials) {
  struct Gene {
    std::map<std::string, std::int64_t> numbers;
    json::array values;
  };
  std::map<std::string, std::map<std::string, Gene>> space;
  for (const TrialRecord& trial : trials) {
    for (const auto& [gene, value] : trial.genome.values()) {
      Gene& entry = space[trial.template_name][gene];
      const bool added =
          entry.numbers.try_emplace(model::to_string(value), static_cast<std::int64_t>(entry.numbers.size()))
              .second;
      if (added) entry.values.push_back(value_to_json(value));
    }
  }
  json::array genomes;
  for (const TrialRecord& trial : trials) {
    json::array genome;
    for (const auto& [name, gene] : space[trial.template_name]) {
      const auto value = trial.genome.values().find(name);
      genome.push_back(
          value == trial.genome.values().end() ? -1 : gene.numbers.at(model::to_string(value->second)));
    }
    genomes.push_back(std::move(genome));
  }
  json::object templates;
  for (auto& [name, genes] : space) {
    json::object values;
    for (auto& [gene, entry] : genes) values[gene] = std::move(entry.values);
    templates[name] = std::move(values);
  }
  columns["space"] = std::move(templates);
  columns["genomes"] = std::move(genomes);
}

/// The latencies of each workload, by its name; rows without it are null.
json::array workloads_of(const std::vector<TrialRecord>& trials) {
  struct Workload {
    double weight = 1;
    std::string method;
    json::array latency, low, high, samples;
  };
  std::map<std::string, Workload> found;
  std::vector<std::string> order;
  for (const TrialRecord& trial : trials) {
    for (const model::WorkloadLatency& entry : trial.latencies) {
      if (found.contains(entry.workload)) continue;
      order.push_back(entry.workload);
      found[entry.workload] = {entry.weight, entry.latency.method, {}, {}, {}, {}};
    }
  }
  for (const TrialRecord& trial : trials) {
    for (auto& [name, workload] : found) {
      std::optional<model::Latency> latency;
      for (const model::WorkloadLatency& entry : trial.latencies)
        if (entry.workload == name) latency = entry.latency;
      workload.latency.push_back(latency ? json::value(latency->microseconds) : json::value(nullptr));
      workload.low.push_back(bound(latency, 0));
      workload.high.push_back(bound(latency, 1));
      workload.samples.push_back(latency ? json::value(latency->samples) : json::value(nullptr));
    }
  }
  json::array list;
  for (const std::string& name : order) {
    Workload& workload = found[name];
    list.push_back({{"name", name},
                    {"weight", workload.weight},
                    {"method", workload.method},
                    {"latency_us", std::move(workload.latency)},
                    {"ci_low", std::move(workload.low)},
                    {"ci_high", std::move(workload.high)},
                    {"samples", std::move(workload.samples)}});
  }
  return list;
}

void add_resources(json::object& columns, const std::vector<TrialRecord>& trials) {
  json::array registers, spills, smem;
  for (const TrialRecord& trial : trials) {
    const auto& used = trial.resources;
    registers.push_back(used ? json::value(used->registers) : json::value(nullptr));
    spills.push_back(used ? json::value(used->spill_store_bytes + used->spill_load_bytes)
                          : json::value(nullptr));
    smem.push_back(used ? json::value(used->static_smem_bytes) : json::value(nullptr));
  }
  columns["registers"] = std::move(registers);
  columns["spill_bytes"] = std::move(spills);
  columns["static_smem_bytes"] = std::move(smem);
}

void add_gate_times(json::object& columns, const std::vector<TrialRecord>& trials) {
  json::object times;
  for (const model::Gate gate : gates) {
    json::array column;
    for (const TrialRecord& trial : trials) {
      json::value entry = nullptr;
      for (const engine::GateRecord& record : trial.gates)
        if (record.gate == gate) entry = rounded(record.milliseconds);
      column.push_back(std::move(entry));
    }
    // Only experiments that bound counters have the last gate.
    if (gate == model::Gate::profile &&
        std::all_of(column.begin(), column.end(), [](const json::value& entry) { return entry.is_null(); }))
      continue;
    times[model::name_of(gate)] = std::move(column);
  }
  columns["gate_ms"] = std::move(times);
}

}  // namespace

json::object columns_of(const std::vector<TrialRecord>& trials) {
  Words templates, operators, statuses, failed_at, reasons, rationales;
  json::array index, generation, slot, variant, parents, duplicate_of, latency, low, high, paired, unusual,
      device, elapsed;
  const Rows rows(trials);
  for (const TrialRecord& trial : trials) {
    index.push_back(trial.index);
    generation.push_back(trial.generation);
    slot.push_back(trial.slot);
    variant.emplace_back(trial.variant);
    templates.add(trial.template_name);
    operators.add(trial.operator_name);
    rationales.add(trial.rationale);
    statuses.add(model::name_of(trial.status));
    failed_at.add(trial.gate ? model::name_of(*trial.gate) : std::string_view());
    reasons.add(trial.reason);
    json::array from;
    for (const std::string& parent : trial.parents) from.push_back(rows.of(parent));
    parents.push_back(std::move(from));
    duplicate_of.push_back(trial.duplicate_of.empty() ? json::value(nullptr) : rows.of(trial.duplicate_of));
    const auto time = trial.latency();
    latency.push_back(time ? json::value(time->microseconds) : json::value(nullptr));
    low.push_back(bound(time, 0));
    high.push_back(bound(time, 1));
    device.push_back(rounded(trial.device_seconds * 1000) / 1000);
    elapsed.push_back(rounded(trial.elapsed_seconds));
    if (trial.timing && (!trial.timing->odd.empty() || !trial.timing->clocks.reasons.empty())) {
      json::object entry = timing_json(trial.timing).as_object();
      entry["row"] = index.size() - 1;
      unusual.push_back(std::move(entry));
    }
    if (trial.paired) {
      json::object entry = paired_to_json(trial.paired).as_object();
      entry["row"] = index.size() - 1;
      paired.push_back(std::move(entry));
    }
  }
  json::object columns{{"count", trials.size()},
                       {"index", std::move(index)},
                       {"generation", std::move(generation)},
                       {"slot", std::move(slot)},
                       {"variant", std::move(variant)},
                       {"template", templates.take()},
                       {"operator", operators.take()},
                       {"rationale", rationales.take()},
                       {"status", statuses.take()},
                       {"gate", failed_at.take()},
                       {"reason", reasons.take()},
                       {"parents", std::move(parents)},
                       {"duplicate_of", std::move(duplicate_of)},
                       {"latency_us", std::move(latency)},
                       {"ci_low", std::move(low)},
                       {"ci_high", std::move(high)},
                       {"paired", std::move(paired)},
                       {"unusual", std::move(unusual)},
                       {"device_seconds", std::move(device)},
                       {"elapsed_seconds", std::move(elapsed)},
                       {"workloads", workloads_of(trials)}};
  add_genes(columns, trials);
  add_resources(columns, trials);
  add_gate_times(columns, trials);
  return columns;
}

json::array evidence_of(const std::vector<TrialRecord>& trials, std::int64_t& left_out) {
  constexpr std::size_t all_of = 4000;  // failed trials, of which nothing is left out
  constexpr std::int64_t of_each = 20;
  std::size_t failed = 0;
  for (const TrialRecord& trial : trials) failed += trial.evidence.empty() ? 0 : 1;
  std::map<std::string, std::int64_t> seen;
  json::array list;
  left_out = 0;
  for (const TrialRecord& trial : trials) {
    if (trial.evidence.empty()) continue;
    const std::string way =
        std::string(model::name_of(trial.status)) + ' ' + trial.reason + ' ' + trial.template_name;
    if (failed > all_of && ++seen[way] > of_each) {
      ++left_out;
      continue;
    }
    list.push_back({{"trial", trial.index}, {"items", to_json(trial.evidence)}});
  }
  return list;
}

}  // namespace evo::report
