#include "engine/sqlite/row_reader.hpp"

#include <charconv>
#include <exception>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/record_json.hpp"
#include "engine/sqlite/sample_rows.hpp"
#include "model/error.hpp"

namespace evo::engine::sqlite {
namespace {

template <class Enum>
Enum known(std::optional<Enum> value, const std::string& column, const std::string& text) {
  if (!value) throw std::runtime_error(fmt::format("{} '{}' is not known", column, text));
  return *value;
}

std::uint64_t unsigned_of(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("'{}' is not a number", text));
  }
  return value;
}

/// Rows of a list are numbered from 0 without gaps.
void expect_position(const Statement& statement, int column, std::size_t position) {
  if (statement.integer(column) != static_cast<std::int64_t>(position)) {
    throw std::runtime_error(fmt::format("position {} where {} is due", statement.integer(column), position));
  }
}

/// Reads the rows of one table with `read` and hands each to `take`; what `read` throws says what is wrong
/// with the row. `from`: the parameter of `sql`, if it has one.
template <class Record, class Read, class Take>
void read_each(Database& database, const char* table, const char* sql, std::optional<std::int64_t> from,
               std::vector<IntegrityIssue>* broken, const Read& read, const Take& take) {
  Statement statement = database.prepare(sql);
  if (from) statement.bind(*from);
  while (statement.step()) {
    Row<Record> row;
    row.number = statement.integer(0);
    try {
      read(statement, row);
    } catch (const model::Exception&) {
      throw;
    } catch (const std::exception& error) {
      const std::string what = fmt::format("{} {}: {}", table, row.number, error.what());
      if (broken == nullptr) {
        throw model::Exception(
            model::ExitCode::verification_failed,
            fmt::format("{}: a row was altered or damaged: {}", database.file().string(), what));
      }
      broken->push_back({table, row.number, what});
      continue;
    }
    take(std::move(row));
  }
}

/// The same, where the file may be damaged in the middle of the table.
template <class Record, class Read, class Take>
void read_to_the_end(Database& database, const char* table, const char* sql, std::optional<std::int64_t> from,
                     std::vector<IntegrityIssue>* broken, Damage damage, const Read& read, const Take& take) {
  std::int64_t next = 0;
  try {
    read_each<Record>(database, table, sql, from, broken, read, [&](Row<Record>&& row) {
      next = row.number + 1;
      take(std::move(row));
    });
  } catch (const model::Exception&) {
    if (broken == nullptr || damage == Damage::throws) throw;
    broken->push_back({table, next, fmt::format("{} from {} on cannot be read", table, next)});
  }
}

template <class Record, class Read>
std::vector<Row<Record>> read_rows(Database& database, const char* table, const char* sql,
                                   std::optional<std::int64_t> from, std::vector<IntegrityIssue>* broken,
                                   Damage damage, const Read& read) {
  std::vector<Row<Record>> rows;
  read_to_the_end<Record>(database, table, sql, from, broken, damage, read,
                          [&](Row<Record>&& row) { rows.push_back(std::move(row)); });
  return rows;
}

void read_gates(Statement& statement, TrialRecord& trial) {
  statement.reset();
  statement.bind(trial.index);
  while (statement.step()) {
    expect_position(statement, 3, trial.gates.size());
    const std::string gate = statement.text(0);
    trial.gates.push_back(
        {known(model::gate_from_name(gate), "gate", gate), statement.integer(1) != 0, statement.real(2)});
  }
}

void read_latencies(Statement& statement, TrialRecord& trial) {
  statement.reset();
  statement.bind(trial.index);
  while (statement.step()) {
    expect_position(statement, 8, trial.latencies.size());
    model::WorkloadLatency entry;
    entry.workload = statement.text(0);
    entry.weight = statement.real(1);
    const std::string kind = statement.text(2);
    entry.latency.kind = known(model::latency_kind_from_name(kind), "latency kind", kind);
    entry.latency.microseconds = statement.real(3);
    if (statement.null(4) != statement.null(5)) throw std::runtime_error("half an interval");
    if (!statement.null(4)) entry.latency.ci95 = {statement.real(4), statement.real(5)};
    entry.latency.samples = static_cast<std::uint32_t>(statement.integer(6));
    entry.latency.method = statement.text(7);
    trial.latencies.push_back(std::move(entry));
  }
}

void read_comparison(Statement& statement, TrialRecord& trial) {
  statement.reset();
  statement.bind(trial.index);
  if (!statement.step()) return;
  trial.paired = model::PairedComparison{statement.text(0),
                                         statement.real(1),
                                         {statement.real(2), statement.real(3)},
                                         statement.real(4),
                                         static_cast<std::uint32_t>(statement.integer(5)),
                                         statement.optional_real(6)};
}

void read_work(Statement& statement, TrialRecord& trial) {
  statement.reset();
  statement.bind(trial.index);
  if (!statement.step()) return;
  trial.work = WorkRecord{statement.text(0), statement.text(1), statement.optional_real(2)};
}

void read_effects(Database& database, model::Insights& insights) {
  Statement statement = database.prepare(
      "SELECT id, template, gene, value, effect, ci_low, ci_high, trials, position FROM effects WHERE "
      "generation = ? "
      "ORDER BY position");
  statement.bind(insights.generation);
  while (statement.step()) {
    expect_position(statement, 8, insights.effects.size());
    insights.effects.push_back({statement.text(0),
                                statement.text(1),
                                statement.text(2),
                                value_from_json(statement.text(3)),
                                statement.real(4),
                                {statement.real(5), statement.real(6)},
                                statement.integer(7)});
  }
}

void read_failures(Database& database, model::Insights& insights) {
  Statement statement = database.prepare(
      "SELECT id, template, when_genes, status, reason, count, total, rate_at_least, position FROM failures "
      "WHERE generation = ? ORDER BY position");
  statement.bind(insights.generation);
  while (statement.step()) {
    expect_position(statement, 8, insights.failures.size());
    const std::string status = statement.text(3);
    insights.failures.push_back({statement.text(0), statement.text(1),
                                 environment_from_json(statement.text(2)),
                                 known(model::status_from_name(status), "status", status), statement.text(4),
                                 statement.integer(5), statement.integer(6), statement.real(7)});
  }
}

/// What stands in the tables below `trials`. Prepared once: to do so for each of a million trials would take
/// longer than to read them.
struct BelowTrials {
  explicit BelowTrials(Database& database)
      : gates(
            database.prepare("SELECT gate, pass, ms, position FROM gates WHERE trial = ? ORDER BY position")),
        latencies(database.prepare(
            "SELECT workload, weight, kind, latency_us, ci_low, ci_high, samples, method, position FROM "
            "latencies WHERE trial = ? ORDER BY position")),
        comparisons(database.prepare("SELECT incumbent, ratio, low, high, confidence, rounds, error FROM "
                                     "comparisons WHERE trial = ?")),
        work(database.prepare("SELECT worker, device, money FROM work WHERE trial = ?")),
        timings(database.prepare(select_timings)) {}

  Statement gates, latencies, comparisons, work, timings;
};

constexpr const char* select_trials =
    "SELECT trial, generation, slot, variant, template, genes, parents, operator, rationale, "
    "predicted_effect, "
    "status, gate, reason, evidence, resources, code_identity, duplicate_of, source_hash, device_seconds, "
    "elapsed_seconds, row_hash, samples_hash FROM trials";

void read_trial(BelowTrials& below, const Statement& s, Row<TrialRecord>& row) {
  TrialRecord& trial = row.record;
  trial.index = s.integer(0);
  trial.generation = static_cast<int>(s.integer(1));
  trial.slot = static_cast<int>(s.integer(2));
  trial.variant = s.text(3);
  trial.template_name = s.text(4);
  trial.genome = model::Genome(environment_from_json(s.text(5)));
  trial.parents = texts_from_json(s.text(6));
  trial.operator_name = s.text(7);
  trial.rationale = s.text(8);
  trial.predicted_effect = s.optional_real(9);
  trial.status = known(model::status_from_name(s.text(10)), "status", s.text(10));
  if (!s.null(11)) trial.gate = known(model::gate_from_name(s.text(11)), "gate", s.text(11));
  trial.reason = s.text(12);
  trial.evidence = evidence_from_json(s.text(13));
  if (!s.null(14)) trial.resources = resources_from_json(s.text(14));
  trial.code_identity = s.text(15);
  trial.duplicate_of = s.text(16);
  trial.source_hash = s.text(17);
  trial.device_seconds = s.real(18);
  trial.elapsed_seconds = s.real(19);
  row.hash = s.text(20);
  if (!s.null(21)) trial.samples_hash = s.text(21);
  read_gates(below.gates, trial);
  read_latencies(below.latencies, trial);
  read_comparison(below.comparisons, trial);
  read_work(below.work, trial);
  read_timings(below.timings, trial);
}

}  // namespace

std::optional<Row<RunMeta>> read_meta(Database& database, std::vector<IntegrityIssue>* broken,
                                      Damage damage) {
  const char* sql =
      "SELECT id, experiment_yaml, experiment_hash, problem_hash, toolchain, device_kind, device_name, "
      "driver, "
      "latency_kind, input_seed, seed, evo_version, row_hash FROM meta";
  auto rows = read_rows<RunMeta>(
      database, "meta", sql, std::nullopt, broken, damage, [](const Statement& s, Row<RunMeta>& row) {
        row.record = {s.text(1),
                      s.text(2),
                      s.text(3),
                      s.text(4),
                      s.text(5),
                      s.text(6),
                      s.text(7),
                      known(model::latency_kind_from_name(s.text(8)), "latency kind", s.text(8)),
                      unsigned_of(s.text(9)),
                      unsigned_of(s.text(10)),
                      s.text(11)};
        row.hash = s.text(12);
      });
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

void for_each_trial(Database& database, std::vector<IntegrityIssue>* broken, Damage damage,
                    const std::function<void(Row<TrialRecord>&&)>& take, std::int64_t from) {
  static const std::string sql = std::string(select_trials) + " WHERE trial >= ? ORDER BY trial";
  std::optional<BelowTrials> below;  // a damaged file may lack the tables, which is said as for a row
  read_to_the_end<TrialRecord>(
      database, "trials", sql.c_str(), from, broken, damage,
      [&](const Statement& s, Row<TrialRecord>& row) {
        if (!below) below.emplace(database);
        read_trial(*below, s, row);
      },
      take);
}

bool has_row(Database& database, const char* table, const char* key, std::int64_t number,
             const std::string& hash) {
  Statement statement = database.prepare(fmt::format("SELECT row_hash FROM {} WHERE {} = ?", table, key));
  statement.bind(number);
  return statement.step() && statement.text(0) == hash;
}

std::vector<TrialRecord> read_some_trials(Database& database, const std::vector<std::int64_t>& indices) {
  std::vector<TrialRecord> trials;
  if (indices.empty()) return trials;
  BelowTrials below(database);
  Statement statement = database.prepare(std::string(select_trials) + " WHERE trial = ?");
  for (const std::int64_t index : indices) {
    statement.reset();
    statement.bind(index);
    try {
      if (!statement.step()) continue;
      Row<TrialRecord> row;
      read_trial(below, statement, row);
      trials.push_back(std::move(row.record));
    } catch (const std::exception&) {
      // Who reads some has read all before, and was told of this row then.
    }
  }
  return trials;
}

std::vector<Row<TrialRecord>> read_trials(Database& database, std::vector<IntegrityIssue>* broken,
                                          Damage damage) {
  std::vector<Row<TrialRecord>> rows;
  for_each_trial(database, broken, damage, [&](Row<TrialRecord>&& row) { rows.push_back(std::move(row)); });
  return rows;
}

std::vector<Row<GenerationRecord>> read_generations(Database& database, std::vector<IntegrityIssue>* broken,
                                                    Damage damage, std::int64_t from) {
  const char* sql =
      "SELECT generation, trials, best_variant, best_us, diversity, device_seconds, money, counts, row_hash "
      "FROM generations WHERE generation >= ? ORDER BY generation";
  return read_rows<GenerationRecord>(database, "generations", sql, from, broken, damage,
                                     [](const Statement& s, Row<GenerationRecord>& row) {
                                       row.record = {static_cast<int>(s.integer(0)),
                                                     s.integer(1),
                                                     s.text(2),
                                                     s.real(3),
                                                     s.real(4),
                                                     s.real(5),
                                                     s.real(6),
                                                     counts_from_json(s.text(7))};
                                       row.hash = s.text(8);
                                     });
}

std::vector<Row<model::Insights>> read_insights(Database& database, std::vector<IntegrityIssue>* broken,
                                                Damage damage, std::int64_t from) {
  const char* sql =
      "SELECT generation, trials, row_hash FROM insights WHERE generation >= ? ORDER BY generation";
  return read_rows<model::Insights>(database, "insights", sql, from, broken, damage,
                                    [&](const Statement& s, Row<model::Insights>& row) {
                                      row.record.generation = static_cast<int>(s.integer(0));
                                      row.record.trials = s.integer(1);
                                      row.hash = s.text(2);
                                      read_effects(database, row.record);
                                      read_failures(database, row.record);
                                    });
}

std::vector<Row<EventRecord>> read_events(Database& database, std::vector<IntegrityIssue>* broken,
                                          Damage damage, std::int64_t from) {
  const char* sql =
      "SELECT event, kind, trial, details, row_hash FROM events WHERE event >= ? ORDER BY event";
  return read_rows<EventRecord>(database, "events", sql, from, broken, damage,
                                [](const Statement& s, Row<EventRecord>& row) {
                                  row.record = {s.text(1), s.integer(2), details_from_json(s.text(3))};
                                  row.hash = s.text(4);
                                });
}

}  // namespace evo::engine::sqlite
