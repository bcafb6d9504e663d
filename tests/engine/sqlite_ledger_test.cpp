// The file behind the ledger: alterations, versions, locks, full disks.
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "engine/sqlite/database.hpp"
#include "engine/sqlite/schema.hpp"
#include "engine/version.hpp"
#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"
#include "tests/engine/sample_records.hpp"

namespace evo::engine {
namespace {

namespace fs = std::filesystem;
using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using ::testing::AllOf;
using ::testing::HasSubstr;

void raw_sql(const fs::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << sql << ": " << message;
  sqlite3_free(message);
  sqlite3_close(handle);
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::vector<std::string>> raw_rows(const fs::path& file, const std::string& sql) {
  std::vector<std::vector<std::string>> rows;
  sqlite::Database database(file, sqlite::Access::read);
  auto statement = database.prepare(sql);
  while (statement.step()) rows.push_back({statement.text(0), statement.text(1), statement.text(2)});
  return rows;
}

void write_sample(const fs::path& file) {
  const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
  ledger->begin(sample_meta());
  for (int i = 0; i < 4; ++i) {
    ledger->commit(
        {sample_trial(i), sample_generation(i), sample_insights(i), {sample_event(i)}, sample_samples()});
  }
}

/// Every column of every table, one altered cell each.
TEST(SqliteLedger, AnAlteredCellIsFoundAndItsRowIsNamed) {
  const TemporaryFolder folder;
  const fs::path original = folder / "original.sqlite";
  write_sample(original);
  struct Table {
    std::string name, where, reported_as;
    std::int64_t row;
  };
  const std::vector<Table> tables{{"meta", "id = 1", "meta", 1},
                                  {"trials", "trial = 2", "trials", 2},
                                  {"gates", "trial = 2 AND position = 1", "trials", 2},
                                  {"latencies", "trial = 2 AND position = 1", "trials", 2},
                                  {"timings", "trial = 2 AND compared = 0", "trials", 2},
                                  {"timings", "trial = 2 AND compared = 1", "trials", 2},
                                  {"samples", "trial = 2 AND position = 1", "samples", 2},
                                  {"generations", "generation = 2", "generations", 2},
                                  {"insights", "generation = 2", "insights", 2},
                                  {"effects", "generation = 2 AND position = 1", "insights", 2},
                                  {"failures", "generation = 2 AND position = 0", "insights", 2},
                                  {"events", "event = 3", "events", 3}};
  int cells = 0;
  for (const Table& table : tables) {
    for (const auto& column :
         raw_rows(original, "SELECT name, type, pk FROM pragma_table_info('" + table.name + "')")) {
      if (table.name == "meta" && column[0] == "id") continue;  // a CHECK allows nothing but 1
      const fs::path copy = folder / "copy.sqlite";
      fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
      const std::string altered = column[1] == "INTEGER" ? "coalesce(" + column[0] + ", 0) + 1000"
                                  : column[1] == "REAL"  ? "coalesce(" + column[0] + ", 0) + 0.001"
                                  : column[1] == "BLOB"  ? "X'0000a040'"
                                                         : "coalesce(" + column[0] + ", '') || 'x'";
      raw_sql(copy, "UPDATE " + table.name + " SET " + column[0] + " = " + altered + " WHERE " + table.where);
      const auto issues = open_sqlite_ledger(copy, LedgerMode::read)->verify();
      ASSERT_FALSE(issues.empty()) << table.name << "." << column[0];
      const bool key = column[2] != "0" && table.name == table.reported_as;
      bool named = false;
      for (const IntegrityIssue& issue : issues) {
        named |= issue.table == table.reported_as &&
                 (issue.row == table.row || (key && issue.row == table.row + 1000));
      }
      EXPECT_TRUE(named) << table.name << "." << column[0] << ": " << issues[0].message;
      ++cells;
    }
  }
  EXPECT_GT(cells, 75);
}

TEST(SqliteLedger, ARemovedRowShows) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  raw_sql(file,
          "DELETE FROM trials WHERE trial = 1; DELETE FROM gates WHERE trial = 1; "
          "DELETE FROM samples WHERE trial = 1");
  const auto ledger = open_sqlite_ledger(file, LedgerMode::read);
  ASSERT_EQ(ledger->verify().size(), 1u);
  EXPECT_EQ(ledger->verify()[0].row, 2);
  try {
    (void)ledger->trials();
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
    EXPECT_THAT(error.what(), HasSubstr("trial 1 is missing"));
  }
}

TEST(SqliteLedger, AnUnreadableRowIsNamed) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  raw_sql(file, "UPDATE trials SET status = 'great' WHERE trial = 3");
  try {
    (void)open_sqlite_ledger(file, LedgerMode::read)->trials();
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("trials 3"), HasSubstr("status 'great' is not known")));
  }
}

TEST(SqliteLedger, AnAlteredRunIsNotContinued) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  FakeEvaluator evaluator;
  {
    const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
    CrashingLedger crashing(*ledger, 6, true);
    EXPECT_THROW((void)run_campaign(small_experiment(), evaluator, crashing, 1, {}), CrashingLedger::Crash);
  }
  raw_sql(file, "UPDATE latencies SET latency_us = 0.001 WHERE trial = 3");
  const auto ledger = open_sqlite_ledger(file, LedgerMode::write);
  try {
    (void)run_campaign(small_experiment(), evaluator, *ledger, 1, {});
    FAIL() << "continued";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
    EXPECT_THAT(error.what(), HasSubstr("trials 3: the row does not fit its hash"));
  }
}

void expect_environment_error(const fs::path& file, LedgerMode mode, const std::string& message) {
  try {
    (void)open_sqlite_ledger(file, mode);
    FAIL() << "opened";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(file.string()), HasSubstr(message)));
  }
}

TEST(SqliteLedger, RefusesWhatItCannotOpen) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  expect_environment_error(file, LedgerMode::write, "there is no ledger");
  expect_environment_error(file, LedgerMode::read, "there is no ledger");
  expect_environment_error(folder / "no" / "ledger.sqlite", LedgerMode::create, "cannot be opened");
  write_sample(file);
  expect_environment_error(file, LedgerMode::create, "there is a ledger already");
  std::ofstream(folder / "text.sqlite") << std::string(5000, 'x');
  expect_environment_error(folder / "text.sqlite", LedgerMode::write, "not an evo ledger");
  raw_sql(folder / "other.sqlite", "CREATE TABLE other (x)");
  expect_environment_error(folder / "other.sqlite", LedgerMode::write, "not an evo ledger");
  expect_environment_error(folder / "other.sqlite", LedgerMode::read, "not an evo ledger");
}

TEST(SqliteLedger, WithoutPermissionItSaysSo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  fs::permissions(file, fs::perms::owner_read);
  expect_environment_error(file, LedgerMode::write, "no permission");
  EXPECT_EQ(open_sqlite_ledger(file, LedgerMode::read)->trials().size(), 4u);
}

TEST(SqliteLedger, ANewerSchemaIsRefusedNamingBothVersions) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  raw_sql(file, "PRAGMA user_version = 99");
  const std::string message =
      fmt::format("schema version 99, this evo knows up to version {}", ledger_schema_version());
  expect_environment_error(file, LedgerMode::write, message);
  expect_environment_error(file, LedgerMode::read, message);
}

TEST(SqliteLedger, AnOlderSchemaIsMigratedForward) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  std::vector<std::string_view> migrations(sqlite::ledger_migrations().begin(),
                                           sqlite::ledger_migrations().end());
  migrations.push_back("ALTER TABLE trials ADD COLUMN note TEXT NOT NULL DEFAULT 'none'");
  migrations.push_back("CREATE TABLE more (x INTEGER) STRICT");
  {
    sqlite::Database database(file, sqlite::Access::read);
    EXPECT_THROW(sqlite::require_current(database, migrations), model::Exception);
  }
  sqlite::Database database(file, sqlite::Access::write);
  sqlite::migrate(database, migrations);
  EXPECT_EQ(database.integer("PRAGMA user_version"), static_cast<std::int64_t>(migrations.size()));
  EXPECT_EQ(database.integer("SELECT count(*) FROM trials WHERE note = 'none'"), 4);
  sqlite::migrate(database, migrations);  // nothing left to do
  EXPECT_EQ(database.integer("SELECT count(*) FROM more"), 0);
}

/// What an evo of before the raw samples has not.
const std::string without_samples =
    "DROP TABLE samples; DROP TABLE timings; ALTER TABLE trials DROP COLUMN samples_hash; ";

TEST(SqliteLedger, ALedgerFromBeforeComparisonsIsReadAndGoesOn) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  TrialRecord trial = sample_trial(0);
  trial.paired.reset();
  trial.work.reset();
  trial.timing.reset();
  trial.samples_hash.clear();
  {
    const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
    ledger->begin(sample_meta());
    ledger->commit({trial, {}, {}, {}});
  }
  raw_sql(file, without_samples + "DROP TABLE work; DROP TABLE comparisons; PRAGMA user_version = 1");
  const std::string before = contents(file);
  const auto reader = open_sqlite_ledger(file, LedgerMode::read);
  EXPECT_EQ(reader->trials().size(), 1u);
  EXPECT_TRUE(reader->verify().empty());
  EXPECT_THROW(reader->commit({sample_trial(1), {}, {}, {}}), model::Exception);
  EXPECT_EQ(contents(file), before) << "reading changes nothing";
  const auto ledger = open_sqlite_ledger(file, LedgerMode::write);
  EXPECT_TRUE(ledger->verify().empty()) << "the rows' hashes still fit";
  ledger->commit({sample_trial(1), {}, {}, {}, sample_samples()});
  EXPECT_TRUE(ledger->trials().at(1).paired.has_value());
  EXPECT_TRUE(ledger->trials().at(1).work.has_value());
}

TEST(SqliteLedger, ALedgerWhoseComparisonsNameNoErrorIsReadAndGoesOn) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  TrialRecord trial = sample_trial(0);
  trial.paired->error.reset();
  trial.paired->timing.reset();
  trial.timing.reset();
  trial.samples_hash.clear();
  {
    const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
    ledger->begin(sample_meta());
    ledger->commit({trial, {}, {}, {}});
  }
  raw_sql(file, without_samples + "ALTER TABLE comparisons DROP COLUMN error; PRAGMA user_version = 3");
  const auto reader = open_sqlite_ledger(file, LedgerMode::read);
  EXPECT_TRUE(reader->verify().empty());
  const auto ledger = open_sqlite_ledger(file, LedgerMode::write);
  EXPECT_TRUE(ledger->verify().empty()) << "the rows' hashes still fit";
  ledger->commit({sample_trial(1), {}, {}, {}, sample_samples()});
  EXPECT_FALSE(ledger->trials().at(0).paired->error.has_value());
  EXPECT_EQ(ledger->trials().at(1).paired->error, sample_trial(1).paired->error);
  EXPECT_TRUE(ledger->verify().empty());
}

TEST(SqliteLedger, ALedgerFromBeforeRawSamplesIsReadAndGoesOn) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  TrialRecord trial = sample_trial(0);
  trial.paired->timing.reset();
  trial.timing.reset();
  trial.samples_hash.clear();
  {
    const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
    ledger->begin(sample_meta());
    ledger->commit({trial, {}, {}, {}});
  }
  raw_sql(file, without_samples + "PRAGMA user_version = 4");
  const auto reader = open_sqlite_ledger(file, LedgerMode::read);
  EXPECT_TRUE(reader->verify().empty());
  EXPECT_TRUE(reader->samples(0).empty());
  const auto ledger = open_sqlite_ledger(file, LedgerMode::write);
  EXPECT_TRUE(ledger->verify().empty()) << "the rows' hashes still fit";
  ledger->commit({sample_trial(1), {}, {}, {}, sample_samples()});
  EXPECT_FALSE(ledger->trials().at(0).timing.has_value());
  EXPECT_EQ(ledger->trials().at(1).timing, sample_trial(1).timing);
  EXPECT_EQ(ledger->samples(1), sample_samples());
  EXPECT_TRUE(ledger->verify().empty());
}

TEST(SqliteLedger, SamplesThatWereRemovedAddedOrAlteredShow) {
  const TemporaryFolder folder;
  const fs::path original = folder / "original.sqlite";
  write_sample(original);
  for (const char* sql :
       {"DELETE FROM samples WHERE trial = 2", "DELETE FROM samples WHERE trial = 2 AND position = 3",
        "INSERT INTO samples VALUES (2, 4, 'w1', '', X'0000a040')",
        "UPDATE samples SET us = X'00' WHERE trial = 2 AND position = 0",
        "UPDATE samples SET side = 'candidate' WHERE trial = 2 AND position = 0"}) {
    const fs::path copy = folder / "copy.sqlite";
    fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
    raw_sql(copy, sql);
    const auto issues = open_sqlite_ledger(copy, LedgerMode::read)->verify();
    ASSERT_EQ(issues.size(), 1U) << sql;
    EXPECT_EQ(issues[0].table, "samples") << sql;
    EXPECT_EQ(issues[0].row, 2) << sql;
  }
}

TEST(SqliteLedger, SamplesOfATrialThatIsNotThereShow) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  raw_sql(file, "INSERT INTO samples VALUES (99, 0, 'w1', '', X'0000a040')");
  const auto issues = open_sqlite_ledger(file, LedgerMode::read)->verify();
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].table, "samples");
  EXPECT_EQ(issues[0].row, 99);
}

TEST(SqliteLedger, SamplesThatCannotBeReadAreNamed) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  raw_sql(file, "UPDATE samples SET us = X'00' WHERE trial = 2 AND position = 0");
  try {
    (void)open_sqlite_ledger(file, LedgerMode::read)->samples(2);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
    EXPECT_THAT(error.what(), HasSubstr("trial 2"));
  }
}

TEST(SqliteLedger, TheErrorOfAComparisonIsUnderItsHash) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  {
    const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
    ledger->begin(sample_meta());
    ledger->commit({sample_trial(0), {}, {}, {}, sample_samples()});
  }
  raw_sql(file, "UPDATE comparisons SET error = 0");
  EXPECT_FALSE(open_sqlite_ledger(file, LedgerMode::read)->verify().empty());
}

TEST(SqliteLedger, AFailedMigrationLeavesTheFileAsItWas) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  std::vector<std::string_view> migrations(sqlite::ledger_migrations().begin(),
                                           sqlite::ledger_migrations().end());
  migrations.push_back("CREATE TABLE more (x INTEGER) STRICT; SELECT nonsense FROM nowhere");
  sqlite::Database database(file, sqlite::Access::write);
  EXPECT_THROW(sqlite::migrate(database, migrations), model::Exception);
  EXPECT_EQ(database.integer("PRAGMA user_version"), ledger_schema_version());
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'more'"), 0);
}

TEST(SqliteLedger, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  write_sample(file);
  const auto writer = open_sqlite_ledger(file, LedgerMode::write);
  const auto reader = open_sqlite_ledger(file, LedgerMode::read);
  EXPECT_EQ(reader->trials().size(), 4u);
  writer->commit({sample_trial(4), std::nullopt, std::nullopt, {}});
  EXPECT_EQ(reader->trials().size(), 5u);
  EXPECT_THROW(reader->commit({sample_trial(4), std::nullopt, std::nullopt, {}}), model::Exception);
}

/// In a child, because the limit is the process's: files stop growing, as on a full disk.
TEST(SqliteLedger, AFullDiskLosesNothingThatWasCommitted) {
  const TemporaryFolder folder;
  const fs::path file = folder / "ledger.sqlite";
  auto experiment = small_experiment();
  experiment.search.generations = 12;
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{110000, 110000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      FakeEvaluator evaluator;
      const auto ledger = open_sqlite_ledger(file, LedgerMode::create);
      (void)run_campaign(experiment, evaluator, *ledger, 1, {});
    } catch (const model::Exception& error) {
      const std::string what = error.what();
      code = error.code() == model::ExitCode::environment && what.find(file.string()) != std::string::npos &&
                     what.find("committed before is kept") != std::string::npos
                 ? 0
                 : 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);

  FakeEvaluator evaluator;
  const Outcome undisturbed = run_small(experiment, evaluator);
  const auto ledger = open_sqlite_ledger(file, LedgerMode::write);
  EXPECT_TRUE(ledger->verify().empty());
  EXPECT_GT(ledger->trials().size(), 3u);
  EXPECT_LT(ledger->trials().size(), 96u);
  EXPECT_EQ(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256,
            undisturbed.result.lineage_sha256);
}

}  // namespace
}  // namespace evo::engine
