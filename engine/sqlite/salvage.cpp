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

/// A row, the next one behind a mark.
template <class Record>
void go_on(sqlite::HashChain<Record>& chain, TableMark& mark, const Row<Record>& row) {
  chain.check(row);
  mark = {row.number, row.hash};
}

/// The rows behind a mark, which goes on to the last of them.
template <class Record>
std::vector<Record> behind(TableMark& mark, const char* table, std::vector<Row<Record>> rows,
                           std::vector<IntegrityIssue>& issues) {
  sqlite::HashChain<Record> chain(table, issues, mark.hash);
  std::vector<Record> records;
  records.reserve(rows.size());
  for (Row<Record>& row : rows) {
    go_on(chain, mark, row);
    records.push_back(std::move(row.record));
  }
  return records;
}

std::int64_t after(const TableMark& mark) {
  return mark.hash.empty() ? sqlite::from_the_first : mark.number + 1;
}

void read_tables(Database& database, LedgerRemains& remains, LedgerMark& mark,
                 const std::function<void(TrialRecord&&)>& take) {
  std::vector<IntegrityIssue>& issues = remains.issues;
  if (const auto meta = sqlite::read_meta(database, &issues, Damage::ends)) {
    TableMark own;
    remains.meta = behind(own, "meta", std::vector<Row<RunMeta>>{*meta}, issues).front();
  }
  sqlite::HashChain<TrialRecord> chain("trials", issues, mark.trials.hash);
  sqlite::for_each_trial(
      database, &issues, Damage::ends,
      [&](Row<TrialRecord>&& row) {
        go_on(chain, mark.trials, row);
        take(std::move(row.record));
      },
      after(mark.trials));
  remains.generations =
      behind(mark.generations, "generations",
             sqlite::read_generations(database, &issues, Damage::ends, after(mark.generations)), issues);
  remains.insights =
      behind(mark.insights, "insights",
             sqlite::read_insights(database, &issues, Damage::ends, after(mark.insights)), issues);
  remains.events = behind(mark.events, "events",
                          sqlite::read_events(database, &issues, Damage::ends, after(mark.events)), issues);
}

/// What is read in it is of one moment, and a writer's commit waits for its end.
class Moment {
 public:
  explicit Moment(Database& database) : database_(database) { database_.execute("BEGIN"); }
  ~Moment() {
    try {
      database_.execute("ROLLBACK");
    } catch (const model::Exception&) {
      // The error that led here is on its way.
    }
  }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

 private:
  Database& database_;
};

bool stands(Database& database, const char* table, const char* key, const TableMark& mark) {
  return mark.hash.empty() || sqlite::has_row(database, table, key, mark.number, mark.hash);
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
                           const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again,
                           LedgerMark* end) {
  const std::unique_ptr<Database> database = open_any(file);
  LedgerRemains remains;
  remains.schema_version = database->integer("PRAGMA user_version");
  const auto newest = static_cast<std::int64_t>(sqlite::ledger_migrations().size());
  if (remains.schema_version >= 1 && remains.schema_version < newest)
    sqlite::migrate(*database, sqlite::ledger_migrations());
  sqlite::require_current(*database, sqlite::ledger_migrations());
  LedgerMark mark;
  read_tables(*database, remains, mark, take);
  if (end != nullptr) *end = mark;
  if (again) remains.trials = sqlite::read_some_trials(*database, again(remains));
  return remains;
}

std::optional<LedgerRemains> read_news(
    const std::filesystem::path& file, LedgerMark& mark, const std::function<void(TrialRecord&&)>& take,
    const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again) {
  try {
    Database database(file, Access::read);
    database.execute("PRAGMA query_only = ON");
    LedgerRemains remains;
    LedgerMark next = mark;
    {
      // Of one moment: the run's commits wait for the few rows that are new.
      const Moment moment(database);
      remains.schema_version = database.integer("PRAGMA user_version");
      if (remains.schema_version != static_cast<std::int64_t>(sqlite::ledger_migrations().size()) ||
          !stands(database, "trials", "trial", mark.trials) ||
          !stands(database, "generations", "generation", mark.generations) ||
          !stands(database, "insights", "generation", mark.insights) ||
          !stands(database, "events", "event", mark.events))
        return std::nullopt;
      read_tables(database, remains, next, take);
    }
    if (!remains.issues.empty()) return std::nullopt;
    // Rows that are there stay as they are, so that the run need not wait for these.
    if (again) remains.trials = sqlite::read_some_trials(database, again(remains));
    mark = std::move(next);
    return remains;
  } catch (const model::Exception&) {
    return std::nullopt;
  }
}

}  // namespace evo::engine
