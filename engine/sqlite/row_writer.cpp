#include "engine/sqlite/row_writer.hpp"

#include "engine/record_json.hpp"
#include "engine/sqlite/sample_rows.hpp"

namespace evo::engine::sqlite {
namespace {

std::string_view text_of(model::Status status) {
  return model::name_of(status);
}

void write_gates(Database& database, const TrialRecord& trial) {
  Statement statement = database.prepare("INSERT INTO gates VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < trial.gates.size(); ++i) {
    const GateRecord& gate = trial.gates[i];
    statement.bind(trial.index).bind(static_cast<std::int64_t>(i)).bind(model::name_of(gate.gate));
    statement.bind(gate.pass ? 1 : 0).bind(gate.milliseconds).run();
  }
}

void write_latencies(Database& database, const TrialRecord& trial) {
  Statement statement = database.prepare("INSERT INTO latencies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < trial.latencies.size(); ++i) {
    const model::WorkloadLatency& entry = trial.latencies[i];
    const model::Latency& latency = entry.latency;
    statement.bind(trial.index).bind(static_cast<std::int64_t>(i)).bind(entry.workload).bind(entry.weight);
    statement.bind(model::name_of(latency.kind)).bind(latency.microseconds);
    if (latency.ci95) {
      statement.bind((*latency.ci95)[0]).bind((*latency.ci95)[1]);
    } else {
      statement.bind_null().bind_null();
    }
    statement.bind(std::int64_t{latency.samples}).bind(latency.method).run();
  }
}

void write_comparison(Database& database, const TrialRecord& trial) {
  if (!trial.paired) return;
  const model::PairedComparison& paired = *trial.paired;
  Statement statement = database.prepare("INSERT INTO comparisons VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  statement.bind(trial.index).bind(paired.incumbent).bind(paired.ratio);
  statement.bind(paired.interval[0]).bind(paired.interval[1]).bind(paired.confidence);
  statement.bind(std::int64_t{paired.rounds}).bind(paired.error).run();
}

void write_work(Database& database, const TrialRecord& trial) {
  if (!trial.work) return;
  Statement statement = database.prepare("INSERT INTO work VALUES (?, ?, ?, ?)");
  statement.bind(trial.index).bind(trial.work->worker).bind(trial.work->device);
  statement.bind(trial.work->cost).run();
}

}  // namespace

void write(Database& database, const RunMeta& meta, const std::string& hash) {
  Statement statement = database.prepare("INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  statement.bind(meta.experiment_yaml)
      .bind(meta.experiment_hash)
      .bind(meta.problem_hash)
      .bind(meta.toolchain);
  statement.bind(meta.device_kind)
      .bind(meta.device_name)
      .bind(meta.driver)
      .bind(model::name_of(meta.latency_kind));
  statement.bind(std::to_string(meta.input_seed)).bind(std::to_string(meta.seed)).bind(meta.evo_version);
  statement.bind(hash).run();
}

void write(Database& database, const TrialRecord& trial, const std::string& hash) {
  Statement statement = database.prepare(
      "INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  statement.bind(trial.index)
      .bind(trial.generation)
      .bind(trial.slot)
      .bind(trial.variant)
      .bind(trial.template_name);
  statement.bind(to_json(trial.genome.values())).bind(to_json(trial.parents)).bind(trial.operator_name);
  statement.bind(trial.rationale).bind(trial.predicted_effect).bind(text_of(trial.status));
  if (trial.gate) {
    statement.bind(model::name_of(*trial.gate));
  } else {
    statement.bind_null();
  }
  statement.bind(trial.reason).bind(to_json(trial.evidence));
  if (trial.resources) {
    statement.bind(to_json(*trial.resources));
  } else {
    statement.bind_null();
  }
  statement.bind(trial.code_identity).bind(trial.duplicate_of).bind(trial.source_hash);
  statement.bind(trial.device_seconds).bind(trial.elapsed_seconds).bind(hash);
  if (trial.samples_hash.empty()) {
    statement.bind_null();
  } else {
    statement.bind(trial.samples_hash);
  }
  statement.run();
  write_gates(database, trial);
  write_latencies(database, trial);
  write_comparison(database, trial);
  write_work(database, trial);
  if (trial.timing) write_timing(database, trial.index, false, *trial.timing);
  if (trial.paired && trial.paired->timing) write_timing(database, trial.index, true, *trial.paired->timing);
}

void write(Database& database, const GenerationRecord& generation, const std::string& hash) {
  Statement statement = database.prepare("INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  statement.bind(generation.generation).bind(generation.trials).bind(generation.best_variant);
  statement.bind(generation.best_us).bind(generation.diversity).bind(generation.device_seconds);
  statement.bind(generation.cost).bind(to_json(generation.counts)).bind(hash).run();
}

void write(Database& database, const model::Insights& insights, const std::string& hash) {
  Statement statement = database.prepare("INSERT INTO insights VALUES (?, ?, ?)");
  statement.bind(insights.generation).bind(insights.trials).bind(hash).run();
  Statement effects = database.prepare("INSERT INTO effects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < insights.effects.size(); ++i) {
    const model::ValueEffect& effect = insights.effects[i];
    effects.bind(insights.generation)
        .bind(static_cast<std::int64_t>(i))
        .bind(effect.id)
        .bind(effect.template_name);
    effects.bind(effect.gene).bind(to_json(effect.value)).bind(effect.effect);
    effects.bind(effect.ci95[0]).bind(effect.ci95[1]).bind(effect.trials).run();
  }
  Statement failures = database.prepare("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < insights.failures.size(); ++i) {
    const model::FailurePattern& pattern = insights.failures[i];
    failures.bind(insights.generation)
        .bind(static_cast<std::int64_t>(i))
        .bind(pattern.id)
        .bind(pattern.template_name);
    failures.bind(to_json(pattern.when)).bind(text_of(pattern.status)).bind(pattern.reason);
    failures.bind(pattern.count).bind(pattern.of).bind(pattern.rate_at_least).run();
  }
}

void write(Database& database, std::int64_t number, const EventRecord& event, const std::string& hash) {
  Statement statement = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?)");
  statement.bind(number).bind(event.kind).bind(event.trial).bind(to_json(event.details)).bind(hash).run();
}

}  // namespace evo::engine::sqlite
