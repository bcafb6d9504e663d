// Run folders: their names, what is in the way of a new one, and what is none.
#include "session/run_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <regex>

#include "model/error.hpp"
#include "session/new_run.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using model::ExitCode;

struct RunFolderTest : ::testing::Test {
  RunFolderTest() {
    std::string pattern = (fs::temp_directory_path() / "evo-session-XXXXXX").string();
    scratch = ::mkdtemp(pattern.data());
  }
  ~RunFolderTest() override { fs::remove_all(scratch); }
  static ExitCode code_of(const std::function<void()>& body) {
    try {
      body();
    } catch (const model::Exception& error) {
      return error.code();
    }
    return ExitCode::done;
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path scratch;
};

TEST_F(RunFolderTest, ANewNameSaysWhatAndWhenAndIsNotRepeated) {
  const fs::path path = new_run_path("s512");
  EXPECT_EQ(path.parent_path(), "runs");
  EXPECT_TRUE(std::regex_match(path.filename().string(), std::regex("s512-[0-9]{8}-[0-9]{6}-[0-9a-f]{4}")))
      << path;
  std::set<fs::path> names;
  for (int i = 0; i < 20; ++i) names.insert(new_run_path("s512"));
  EXPECT_GT(names.size(), 15U);
}

TEST_F(RunFolderTest, AFolderIsMadeWithWhatIsAboveIt) {
  const RunFolder folder = create_run(scratch / "runs" / "one");
  EXPECT_TRUE(fs::is_directory(folder.path));
  EXPECT_EQ(folder.experiment(), scratch / "runs/one/experiment.yaml");
  EXPECT_EQ(folder.ledger(), scratch / "runs/one/ledger.sqlite");
  EXPECT_EQ(folder.champion(), scratch / "runs/one/champion");
}

TEST_F(RunFolderTest, ARunThatIsThereIsNotStartedAnew) {
  const fs::path path = scratch / "one";
  static_cast<void>(create_run(path));
  EXPECT_EQ(code_of([&] { static_cast<void>(create_run(path)); }), ExitCode::done) << "it holds no run yet";
  std::ofstream(path / "ledger.sqlite") << "x";
  EXPECT_EQ(code_of([&] { static_cast<void>(create_run(path)); }), ExitCode::usage);
}

TEST_F(RunFolderTest, ARunThatNeverBeganLeavesNothing) {
  model::Experiment experiment;
  experiment.resolved_yaml = "name: add\n";
  const fs::path path = scratch / "one";
  for (int i = 0; i < 2; ++i) {
    const RunFolder folder = create_run(path);
    const NewRun run(folder, experiment);
    std::ofstream(folder.log()) << "no server";
    std::ofstream(path / "farm") << "r1";
    EXPECT_TRUE(fs::exists(folder.ledger()));
  }
  EXPECT_FALSE(fs::exists(path));
  // What was there before stays.
  fs::create_directories(path / "problem");
  { const NewRun run(create_run(path), experiment); }
  EXPECT_TRUE(fs::exists(path / "problem"));
  EXPECT_FALSE(fs::exists(path / "ledger.sqlite"));
  // What has begun stays, too.
  {
    NewRun run(create_run(path), experiment);
    engine::RunMeta meta;
    meta.experiment_yaml = "name: add\n";
    run.ledger().begin(meta);
  }
  EXPECT_TRUE(fs::exists(path / "ledger.sqlite"));
  EXPECT_EQ(code_of([&] { static_cast<void>(create_run(path)); }), ExitCode::usage);
}

TEST_F(RunFolderTest, AFolderThatCannotBeMadeIsABrokenEnvironment) {
  std::ofstream(scratch / "file") << "x";
  EXPECT_EQ(code_of([&] { static_cast<void>(create_run(scratch / "file" / "run")); }), ExitCode::environment);
}

TEST_F(RunFolderTest, AFileIsReplacedWhole) {
  write_file_atomically(scratch / "report", "first\n");
  write_file_atomically(scratch / "report", "second\n");
  EXPECT_EQ(read(scratch / "report"), "second\n");
  EXPECT_FALSE(fs::exists(scratch / "report.new"));
  EXPECT_EQ(code_of([&] { write_file_atomically(scratch / "no" / "report", "x"); }), ExitCode::environment);
  fs::create_directories(scratch / "taken" / "x");
  EXPECT_EQ(code_of([&] { write_file_atomically(scratch / "taken", "x"); }), ExitCode::environment);
  EXPECT_FALSE(fs::exists(scratch / "taken.new")) << "what could not be put in place is removed";
}

TEST_F(RunFolderTest, WhatLacksAnExperimentOrALedgerIsNoRun) {
  const auto code = [&] { return code_of([&] { static_cast<void>(open_run(scratch.string())); }); };
  EXPECT_EQ(code(), ExitCode::usage);
  std::ofstream(scratch / "ledger.sqlite") << "";
  EXPECT_EQ(code(), ExitCode::usage);
  std::ofstream(scratch / "experiment.yaml") << "nonsense: 1\n";
  EXPECT_EQ(code(), ExitCode::invalid_configuration);
  fs::remove(scratch / "ledger.sqlite");
  EXPECT_EQ(code(), ExitCode::usage);
  EXPECT_EQ(code_of([&] { static_cast<void>(open_ledger_for_reading({scratch})); }), ExitCode::usage);
}

}  // namespace
}  // namespace evo::session
