// The ledger on disk. A rollback journal (not WAL): between commits the run is one file that can be copied,
// it also works on network file systems, and after a kill the next one that opens the file rolls an
// unfinished commit back. synchronous=FULL, so that the same holds for a power cut.
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/ledger.hpp"
#include "engine/record_hash.hpp"
#include "engine/sqlite/database.hpp"
#include "engine/sqlite/hash_chain.hpp"
#include "engine/sqlite/row_reader.hpp"
#include "engine/sqlite/row_writer.hpp"
#include "engine/sqlite/sample_rows.hpp"
#include "engine/sqlite/schema.hpp"
#include "model/error.hpp"

namespace evo::engine {
namespace {

using sqlite::Access;
using sqlite::Database;
using sqlite::Row;
using sqlite::verify_chain;

/// A ledger of an older evo; of an empty file require_current() says what is wrong.
bool is_older(const std::filesystem::path& file) {
  Database database(file, Access::read);
  const std::int64_t version = database.integer("PRAGMA user_version");
  return version >= 1 && version < static_cast<std::int64_t>(sqlite::ledger_migrations().size());
}

Access access_of(const std::filesystem::path& file, LedgerMode mode) {
  switch (mode) {
    case LedgerMode::create:
      return Access::create;
    case LedgerMode::write:
      return Access::write;
    case LedgerMode::read:
      break;
  }
  // Reading is the same for all versions, and changes no file.
  return is_older(file) ? Access::copy : Access::read;
}

template <class Record>
std::vector<Record> records_of(std::vector<Row<Record>> rows) {
  std::vector<Record> records;
  records.reserve(rows.size());
  for (auto& row : rows) records.push_back(std::move(row.record));
  return records;
}

class SqliteLedger final : public Ledger {
 public:
  SqliteLedger(const std::filesystem::path& file, Access access)
      : database_(file, access), writable_(access == Access::create || access == Access::write) {
    if (writable_)
      database_.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    if (access != Access::read) sqlite::migrate(database_, sqlite::ledger_migrations());
    if (!writable_) {
      sqlite::require_current(database_, sqlite::ledger_migrations());
      database_.execute("PRAGMA query_only = ON");
    }
    next_trial_ = database_.integer("SELECT count(*) FROM trials");
    next_event_ = database_.integer("SELECT coalesce(max(event), 0) + 1 FROM events");
    last_.trial = last_hash("trials", "trial");
    last_.generation = last_hash("generations", "generation");
    last_.insights = last_hash("insights", "generation");
    last_.event = last_hash("events", "event");
  }

  [[nodiscard]] std::optional<RunMeta> meta() const override {
    auto row = sqlite::read_meta(database_, nullptr);
    if (!row) return std::nullopt;
    return std::move(row->record);
  }

  void begin(const RunMeta& meta) override {
    if (this->meta()) throw std::logic_error("ledger: begin() was called twice");
    sqlite::Transaction transaction(database_);
    sqlite::write(database_, meta, row_hash({}, meta));
    transaction.commit();
  }

  void commit(const Commit& commit) override {
    if (commit.trial && commit.trial->index != next_trial_) {
      throw std::logic_error(
          fmt::format("ledger: trial {} where {} is due", commit.trial->index, next_trial_));
    }
    LastHashes last = last_;
    std::int64_t event_number = next_event_;
    sqlite::Transaction transaction(database_);
    if (commit.trial) {
      sqlite::write(database_, *commit.trial, advance(last.trial, *commit.trial));
      sqlite::write(database_, commit.trial->index, commit.samples);
    }
    if (commit.generation)
      sqlite::write(database_, *commit.generation, advance(last.generation, *commit.generation));
    if (commit.insights) sqlite::write(database_, *commit.insights, advance(last.insights, *commit.insights));
    for (const EventRecord& event : commit.events) {
      sqlite::write(database_, event_number++, event, advance(last.event, event));
    }
    transaction.commit();
    last_ = last;
    next_event_ = event_number;
    if (commit.trial) ++next_trial_;
  }

  [[nodiscard]] std::vector<TrialRecord> trials() const override {
    auto records = records_of(sqlite::read_trials(database_, nullptr));
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].index == static_cast<std::int64_t>(i)) continue;
      throw model::Exception(model::ExitCode::verification_failed,
                             fmt::format("{}: trial {} is missing", database_.file().string(), i));
    }
    return records;
  }
  [[nodiscard]] std::vector<GenerationRecord> generations() const override {
    return records_of(sqlite::read_generations(database_, nullptr));
  }
  [[nodiscard]] std::vector<model::Insights> insights() const override {
    return records_of(sqlite::read_insights(database_, nullptr));
  }
  [[nodiscard]] std::vector<EventRecord> events() const override {
    return records_of(sqlite::read_events(database_, nullptr));
  }

  [[nodiscard]] std::vector<model::SampleSeries> samples(std::int64_t trial) const override {
    try {
      return sqlite::read_samples(database_, trial);
    } catch (const std::runtime_error& error) {
      throw model::Exception(model::ExitCode::verification_failed,
                             fmt::format("{}: the samples of trial {} were altered or damaged: {}",
                                         database_.file().string(), trial, error.what()));
    }
  }

  [[nodiscard]] std::vector<IntegrityIssue> verify() const override {
    std::vector<IntegrityIssue> issues;
    if (const auto meta = sqlite::read_meta(database_, &issues)) {
      verify_chain("meta", std::vector<Row<RunMeta>>{*meta}, issues);
    }
    const auto trials = sqlite::read_trials(database_, &issues);
    verify_chain("trials", trials, issues);
    verify_samples(trials, issues);
    verify_chain("generations", sqlite::read_generations(database_, &issues), issues);
    verify_chain("insights", sqlite::read_insights(database_, &issues), issues);
    verify_chain("events", sqlite::read_events(database_, &issues), issues);
    return issues;
  }

 private:
  struct LastHashes {
    std::string trial, generation, insights, event;
  };

  template <class Record>
  static const std::string& advance(std::string& last, const Record& record) {
    return last = row_hash(last, record);
  }

  /// The samples stand apart, and their hash is the trial's.
  void verify_samples(const std::vector<Row<TrialRecord>>& trials,
                      std::vector<IntegrityIssue>& issues) const {
    std::set<std::int64_t> there;
    auto statement = database_.prepare("SELECT DISTINCT trial FROM samples");
    while (statement.step()) there.insert(statement.integer(0));
    for (const Row<TrialRecord>& row : trials) {
      const bool kept = there.erase(row.number) > 0;
      if (!kept && row.record.samples_hash.empty()) continue;
      std::string hash = "unreadable";
      try {
        hash = hash_of(sqlite::read_samples(database_, row.number));
      } catch (const std::runtime_error&) {
      }
      if (hash != row.record.samples_hash)
        issues.push_back(
            {"samples", row.number,
             fmt::format("samples of trial {}: they do not fit the trial's hash of them: they were "
                         "altered, removed or added",
                         row.number)});
    }
    for (const std::int64_t trial : there)
      issues.push_back({"samples", trial, fmt::format("samples of trial {}, which is not there", trial)});
  }

  std::string last_hash(const char* table, const char* key) {
    auto statement =
        database_.prepare(fmt::format("SELECT row_hash FROM {} ORDER BY {} DESC LIMIT 1", table, key));
    return statement.step() ? statement.text(0) : std::string();
  }

  mutable Database database_;  // reading prepares statements on the connection
  bool writable_;
  std::int64_t next_trial_ = 0;
  std::int64_t next_event_ = 1;
  LastHashes last_;
};

}  // namespace

std::unique_ptr<Ledger> open_sqlite_ledger(const std::filesystem::path& file, LedgerMode mode) {
  return std::make_unique<SqliteLedger>(file, access_of(file, mode));
}

}  // namespace evo::engine
