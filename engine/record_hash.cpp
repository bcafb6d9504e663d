#include "engine/record_hash.hpp"

#include <bit>
#include <cstdint>

#include "model/fields.hpp"
#include "model/hash.hpp"

namespace evo::engine {
namespace {

/// Feeds fields one after the other.
class Fields {
 public:
  explicit Fields(std::string_view previous) { hasher_.add(previous); }

  Fields& add(std::string_view text) {
    hasher_.add(text);
    return *this;
  }
  Fields& add(std::int64_t number) { return add(std::string_view(std::to_string(number))); }
  Fields& add(std::uint64_t number) { return add(std::string_view(std::to_string(number))); }
  Fields& add(int number) { return add(std::int64_t{number}); }
  // A database gives back 0 for -0: the sign is no part of a row.
  Fields& add(double number) { return add(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number)); }
  Fields& add(const std::optional<double>& number) {
    return number ? add(*number) : add(std::string_view("-"));
  }
  Fields& add(const model::Value& value) {
    return add(std::string_view(value.index() == 0 ? "integer" : "symbol"))
        .add(std::string_view(model::to_string(value)));
  }
  Fields& add(const model::Environment& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const auto& [name, value] : values) add(std::string_view(name)).add(value);
    return *this;
  }
  Fields& add(const std::vector<std::pair<std::string, std::string>>& pairs) {
    add(static_cast<std::uint64_t>(pairs.size()));
    for (const auto& [key, value] : pairs) add(key).add(value);
    return *this;
  }
  Fields& add(const std::string& text) { return add(std::string_view(text)); }

  [[nodiscard]] std::string finish() { return hasher_.finish(); }

 private:
  model::Hasher hasher_;
};

void add(Fields& fields, const model::Evidence& evidence) {
  model::visit_fields(evidence, [&](const char*, const auto& field) { fields.add(field); });
}

void add(Fields& fields, const model::WorkloadLatency& entry) {
  const model::Latency& latency = entry.latency;
  fields.add(entry.workload).add(entry.weight).add(name_of(latency.kind)).add(latency.microseconds);
  fields.add(latency.ci95 ? std::optional((*latency.ci95)[0]) : std::nullopt);
  fields.add(latency.ci95 ? std::optional((*latency.ci95)[1]) : std::nullopt);
  fields.add(static_cast<std::uint64_t>(latency.samples)).add(latency.method);
}

void add(Fields& fields, const model::ResourceUsage& usage) {
  model::visit_fields(usage, [&](const char*, const auto& field) { fields.add(field); });
}

void add(Fields& fields, const model::TimingNotes& notes) {
  const model::HeldClocks& clocks = notes.clocks;
  fields.add(std::string_view("timing")).add(clocks.watched ? 1 : 0).add(std::uint64_t{clocks.discarded});
  fields.add(std::uint64_t{clocks.kept}).add(static_cast<std::uint64_t>(clocks.reasons.size()));
  for (const std::string& reason : clocks.reasons) fields.add(reason);
  fields.add(static_cast<std::uint64_t>(notes.odd.size()));
  for (const model::OddSeries& one : notes.odd) {
    fields.add(one.workload).add(one.side).add(static_cast<std::uint64_t>(one.words.size()));
    for (const std::string& word : one.words) fields.add(word);
  }
}

template <class T>
std::uint64_t count(const T& items) {
  return static_cast<std::uint64_t>(items.size());
}

}  // namespace

std::string row_hash(std::string_view previous, const TrialRecord& row) {
  Fields fields(previous);
  fields.add(row.index).add(row.generation).add(row.slot).add(row.variant).add(row.template_name);
  fields.add(row.genome.values());
  fields.add(count(row.parents));
  for (const std::string& parent : row.parents) fields.add(parent);
  fields.add(row.operator_name).add(row.rationale).add(row.predicted_effect);
  fields.add(name_of(row.status)).add(row.gate ? name_of(*row.gate) : std::string_view("-")).add(row.reason);
  fields.add(count(row.evidence));
  for (const model::Evidence& evidence : row.evidence) add(fields, evidence);
  fields.add(count(row.gates));
  for (const GateRecord& gate : row.gates) {
    fields.add(name_of(gate.gate)).add(gate.pass ? 1 : 0).add(gate.milliseconds);
  }
  fields.add(count(row.latencies));
  for (const model::WorkloadLatency& entry : row.latencies) add(fields, entry);
  // Nothing where there is none: rows of ledgers from before comparisons keep their hashes.
  if (row.paired) {
    fields.add(row.paired->incumbent).add(row.paired->ratio).add(row.paired->interval[0]);
    fields.add(row.paired->interval[1]).add(row.paired->confidence);
    fields.add(static_cast<std::uint64_t>(row.paired->rounds));
    if (row.paired->error) fields.add(*row.paired->error);
    if (row.paired->timing) add(fields, *row.paired->timing);
  }
  fields.add(row.resources ? 1 : 0);
  if (row.resources) add(fields, *row.resources);
  fields.add(row.code_identity).add(row.duplicate_of).add(row.source_hash);
  fields.add(row.device_seconds).add(row.elapsed_seconds);
  // Likewise.
  if (row.work) fields.add(row.work->worker).add(row.work->device).add(row.work->cost);
  if (row.timing) add(fields, *row.timing);
  if (!row.samples_hash.empty()) fields.add(std::string_view("samples")).add(row.samples_hash);
  return fields.finish();
}

std::string hash_of(const std::vector<model::SampleSeries>& samples) {
  if (samples.empty()) return {};
  Fields fields("samples");
  for (const model::SampleSeries& one : samples) {
    fields.add(one.workload).add(one.side).add(count(one.us));
    for (const double us : one.us) fields.add(static_cast<double>(static_cast<float>(us)));
  }
  return fields.finish();
}

std::string row_hash(std::string_view previous, const GenerationRecord& row) {
  Fields fields(previous);
  fields.add(row.generation).add(row.trials).add(row.best_variant).add(row.best_us).add(row.diversity);
  fields.add(row.device_seconds).add(row.cost).add(count(row.counts));
  for (const auto& [status, number] : row.counts) fields.add(status).add(number);
  return fields.finish();
}

std::string row_hash(std::string_view previous, const model::Insights& row) {
  Fields fields(previous);
  fields.add(row.generation).add(row.trials).add(count(row.effects));
  for (const model::ValueEffect& effect : row.effects) {
    fields.add(effect.id).add(effect.template_name).add(effect.gene).add(effect.value).add(effect.effect);
    fields.add(effect.ci95[0]).add(effect.ci95[1]).add(effect.trials);
  }
  fields.add(count(row.failures));
  for (const model::FailurePattern& pattern : row.failures) {
    fields.add(pattern.id).add(pattern.template_name).add(pattern.when).add(name_of(pattern.status));
    fields.add(pattern.reason).add(pattern.count).add(pattern.of).add(pattern.rate_at_least);
  }
  return fields.finish();
}

std::string row_hash(std::string_view previous, const EventRecord& row) {
  Fields fields(previous);
  fields.add(row.kind).add(row.trial).add(count(row.details));
  for (const auto& [key, value] : row.details) fields.add(key).add(value);
  return fields.finish();
}

std::string row_hash(std::string_view previous, const RunMeta& row) {
  Fields fields(previous);
  fields.add(row.experiment_yaml).add(row.experiment_hash).add(row.problem_hash).add(row.toolchain);
  fields.add(row.device_kind).add(row.device_name).add(row.driver).add(name_of(row.latency_kind));
  fields.add(row.input_seed).add(row.seed).add(row.evo_version);
  return fields.finish();
}

}  // namespace evo::engine
