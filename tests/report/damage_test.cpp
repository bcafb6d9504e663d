// Ledgers that are damaged, older, being written, or cut short by a kill: what can be read is shown, and
// nothing breaks.
#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/error.hpp"
#include "report/document.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

using testing::invent_run;
using testing::Scratch;

void sql(const std::string& file, const char* text) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::string notices(const RunView& view) {
  std::string text;
  for (const std::string& notice : view.notices) text += notice + "\n";
  return text;
}

TEST(Damage, ATruncatedLedgerShowsItsReadableTrials) {
  const Scratch scratch;
  invent_run(scratch / "run", {});
  const std::string file = scratch / "run/ledger.sqlite";
  const auto size = std::filesystem::file_size(file);
  std::size_t seen = 0;
  for (const double share : {0.9, 0.6, 0.3}) {
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    try {
      const RunView view = read_run(scratch / "run");
      EXPECT_FALSE(view.ledger.issues.empty()) << share;
      EXPECT_NE(notices(view).find("damaged"), std::string::npos) << notices(view);
      EXPECT_EQ(run_document(view).at("columns").at("count").to_number<std::size_t>(),
                view.ledger.trials.size());
      seen += view.ledger.trials.size();
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::environment) << error.what();
    }
  }
  EXPECT_GT(seen, 0U) << "something is left of a ledger that lost a tenth";
}

TEST(Damage, AnAlteredRowIsTold) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  sql(scratch / "run/ledger.sqlite", "UPDATE trials SET operator = 'better_one' WHERE trial = 7");
  const RunView view = read_run(scratch / "run");
  EXPECT_EQ(view.ledger.trials.size(), 60U);
  EXPECT_NE(notices(view).find("trials 7"), std::string::npos) << notices(view);
}

TEST(Damage, AMissingAndAnUnreadableRowAreLeftOut) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  sql(scratch / "run/ledger.sqlite",
      "PRAGMA foreign_keys = OFF; DELETE FROM trials WHERE trial = 11; UPDATE trials SET status = 'splendid' "
      "WHERE trial = 20");
  const RunView view = read_run(scratch / "run");
  EXPECT_EQ(view.ledger.trials.size(), 58U);
  EXPECT_NE(notices(view).find("2 trials are missing"), std::string::npos) << notices(view);
  EXPECT_EQ(run_document(view).at("columns").at("index").at(19).to_number<std::int64_t>(), 21);
}

TEST(Damage, AnOlderLedgerIsReadAndLeftAsItIs) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60, .measured = false});
  const std::string file = scratch / "run/ledger.sqlite";
  sql(file,
      "DROP TABLE samples; DROP TABLE timings; ALTER TABLE trials DROP COLUMN samples_hash; DROP TABLE work; "
      "DROP TABLE comparisons; PRAGMA user_version = 1");
  const std::string before = testing::read_file(file);
  const RunView view = read_run(scratch / "run");
  EXPECT_EQ(view.ledger.trials.size(), 60U);
  EXPECT_EQ(view.ledger.schema_version, 1);
  EXPECT_TRUE(view.ledger.issues.empty());
  EXPECT_EQ(testing::read_file(file), before);
}

TEST(Damage, WhatIsNoLedgerIsRefused) {
  const Scratch scratch;
  const auto code = [&](const char* name) {
    try {
      (void)read_run(scratch / name);
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  std::filesystem::create_directories(scratch / "text");
  std::ofstream(scratch / "text/ledger.sqlite") << std::string(5000, 'x');
  std::filesystem::create_directories(scratch / "empty");
  std::ofstream(scratch / "empty/ledger.sqlite") << "";
  invent_run(scratch / "newer", {.trials = 3});
  sql(scratch / "newer/ledger.sqlite", "PRAGMA user_version = 99");
  EXPECT_EQ(code("nowhere"), model::ExitCode::usage);
  EXPECT_EQ(code("text"), model::ExitCode::environment);
  EXPECT_EQ(code("empty"), model::ExitCode::environment);
  EXPECT_EQ(code("newer"), model::ExitCode::environment);
}

TEST(Damage, AnExperimentThatIsGoneCostsTheSourcesOnly) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  std::filesystem::remove(scratch / "run/experiment.yaml");
  const RunView view = read_run(scratch / "run");
  EXPECT_FALSE(view.has_experiment);
  const boost::json::object document = run_document(view);
  EXPECT_TRUE(document.at("sources").at("of").as_array().empty());
  EXPECT_FALSE(document.at("champion").is_null());
  EXPECT_TRUE(document.at("budget").at("planned_trials").is_null());
}

TEST(Running, AHeldFolderIsRunningAndAKilledOneIsStopped) {
  const Scratch scratch;
  const std::string folder = scratch / "run";
  invent_run(folder, {.trials = 20, .finished = false});
  EXPECT_EQ(read_run(folder).state, RunState::stopped);
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // A writer in the middle of a transaction, which is killed there.
    const engine::RunLock lock(folder);
    sqlite3* handle = nullptr;
    sqlite3_open((folder + "/ledger.sqlite").c_str(), &handle);
    sqlite3_exec(handle,
                 "PRAGMA cache_spill = 1; PRAGMA cache_size = 1; BEGIN; UPDATE trials SET operator = "
                 "hex(zeroblob(9000))",
                 nullptr, nullptr, nullptr);
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(is_held(folder));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_held(folder));
  const RunView view = read_run(folder);
  EXPECT_EQ(view.state, RunState::stopped);
  EXPECT_EQ(view.ledger.trials.size(), 20U);
  EXPECT_TRUE(view.ledger.issues.empty()) << "what the killed writer left half done is rolled back";
}

TEST(Running, AFolderThatIsBeingWrittenIsOfOneMoment) {
  const Scratch scratch;
  const std::string folder = scratch / "run";
  invent_run(folder, {.trials = 5, .finished = false});
  std::filesystem::remove_all(folder);
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const engine::RunLock lock(folder);
    testing::Inventor inventor(folder, {.trials = 300});
    (void)!::write(ready[1], "x", 1);
    inventor.make();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::size_t last = 0;
  for (int status = 0; ::waitpid(child, &status, WNOHANG) == 0;) {
    const RunView view = read_run(folder);
    EXPECT_TRUE(view.ledger.issues.empty()) << notices(view);
    EXPECT_GE(view.ledger.trials.size(), last);
    last = view.ledger.trials.size();
    EXPECT_EQ(run_document(view).at("columns").at("count").to_number<std::size_t>(), last);
  }
  EXPECT_EQ(read_run(folder).ledger.trials.size(), 300U);
}

}  // namespace
}  // namespace evo::report
