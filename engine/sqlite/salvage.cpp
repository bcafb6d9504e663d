#include "engine/salvage.hpp"

#include <memory>

#include "engine/sqlite/hash_chain.hpp"
#include "engine/sqlite/schema.hpp"
#include "model/error.hpp"

namespace evo::engine {
namespace {

using sqlite::Access;
using sqlite::Damage;
using sqlite::Database;
using sqlite::Row;

/// A copy is of one moment, keeps no lock, and can be migrated. A file that was cut short refuses
/// to be copied, and to be read at all unless SQLite is told that its schema may be wrong.
std::unique_ptr<Database> open_any(const std::filesystem::path& file) {
  try {
    auto copy = std::make_unique<Database>(file, Access::copy);
    (void)copy->integer("SELECT count(*) FROM sqlite_master");
    return copy;
  } catch (const model::Exception&) {
    auto rest = std::make_unique<Database>(file, Access::read);
    rest->execute("PRAGMA query_only = ON; PRAGMA writable_schema = ON");
    return rest;
  }
}

template <class Record>
std::vector<Record> checked(const char* table, std::vector<Row<Record>> rows,
                            std::vector<IntegrityIssue>& issues) {
  sqlite::verify_chain(table, rows, issues);
  std::vector<Record> records;
  records.reserve(rows.size());
  for (Row<Record>& row : rows) records.push_back(std::move(row.record));
  return records;
}

}  // namespace

LedgerRemains read_remains(const std::filesystem::path& file) {
  std::vector<TrialRecord> trials;
  LedgerRemains remains =
      read_remains(file, [&](TrialRecord&& trial) { trials.push_back(std::move(trial)); });
  remains.trials = std::move(trials);
  return remains;
}

LedgerRemains read_remains(const std::filesystem::path& file, const std::function<void(TrialRecord&&)>& take,
                           const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again) {
  const std::unique_ptr<Database> database = open_any(file);
  LedgerRemains remains;
  remains.schema_version = database->integer("PRAGMA user_version");
  const auto newest = static_cast<std::int64_t>(sqlite::ledger_migrations().size());
  if (remains.schema_version >= 1 && remains.schema_version < newest)
    sqlite::migrate(*database, sqlite::ledger_migrations());
  sqlite::require_current(*database, sqlite::ledger_migrations());

  std::vector<IntegrityIssue>& issues = remains.issues;
  if (const auto meta = sqlite::read_meta(*database, &issues, Damage::ends)) {
    remains.meta = checked("meta", std::vector<Row<RunMeta>>{*meta}, issues).front();
  }
  sqlite::HashChain<TrialRecord> chain("trials", issues);
  sqlite::for_each_trial(*database, &issues, Damage::ends, [&](Row<TrialRecord>&& row) {
    chain.check(row);
    take(std::move(row.record));
  });
  remains.generations =
      checked("generations", sqlite::read_generations(*database, &issues, Damage::ends), issues);
  remains.insights = checked("insights", sqlite::read_insights(*database, &issues, Damage::ends), issues);
  remains.events = checked("events", sqlite::read_events(*database, &issues, Damage::ends), issues);
  if (again) remains.trials = sqlite::read_some_trials(*database, again(remains));
  return remains;
}

}  // namespace evo::engine
