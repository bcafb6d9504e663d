// Small campaigns on the virtual device, for tests of run, resume and replay.
#pragma once

#include <string>
#include <vector>

#include <sqlite3.h>

#include "tests/cli/run_evo.hpp"

namespace evo::cli::testing {

/// True when NVRTC is there; tests skip otherwise.
inline bool have_nvrtc() {
  static const bool found = [] {
    const boost::json::object report = parse_object(run_evo({"doctor", "--json"}).out);
    for (const auto& check : report.at("checks").as_array()) {
      const auto& entry = check.as_object();
      if (entry.at("name") == "nvrtc") return entry.at("level") != "fail";
    }
    return false;
  }();
  return found;
}

#define SKIP_WITHOUT_NVRTC()              \
  if (!::evo::cli::testing::have_nvrtc()) \
  GTEST_SKIP() << "needs NVRTC (evo doctor says where it was looked for)"

/// A run of some 4 CPU seconds, for what does not depend on what the kernel computes: 16 genomes of
/// vector_add.
inline std::vector<std::string> quick_run(const std::string& run_dir,
                                          const std::vector<std::string>& extra = {}) {
  std::vector<std::string> arguments{"run",          source_path("examples/vector_add/experiment.yaml"),
                                     "--json",       "-q",
                                     "--run-dir",    run_dir,
                                     "--input-seed", "11",
                                     "--set",        "workloads=[{name: n4k, n: 4096}]"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return arguments;
}

/// Of attention, with several templates: some 60 CPU seconds.
inline std::vector<std::string> small_run(const std::string& run_dir,
                                          const std::vector<std::string>& extra = {}) {
  std::vector<std::string> arguments{"run",          source_path("experiments/quickstart.yaml"),
                                     "--json",       "-q",
                                     "--run-dir",    run_dir,
                                     "--input-seed", "11",
                                     "--set",        "search.population=5",
                                     "--set",        "search.generations=2",
                                     "--set",        "search.window=3",
                                     "--set",        "budget.trials=10",
                                     "--set",        "budget.wall_seconds=0"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return arguments;
}

/// The lineage as printed: what must be byte-identical.
inline std::string lineage_of(const std::string& run_dir) {
  return run_evo({"lineage", run_dir, "--json"}).out;
}

/// Runs SQL on a run's ledger; returns the first column of the first row.
inline std::string sql(const std::string& run_dir, const std::string& statement) {
  sqlite3* database = nullptr;
  std::string result;
  EXPECT_EQ(sqlite3_open((run_dir + "/ledger.sqlite").c_str(), &database), SQLITE_OK);
  const auto keep = [](void* out, int count, char** values, char**) {
    if (count > 0 && values[0] != nullptr) *static_cast<std::string*>(out) = values[0];
    return 0;
  };
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statement.c_str(), keep, &result, &error), SQLITE_OK)
      << statement << ": " << (error ? error : "");
  sqlite3_free(error);
  sqlite3_close(database);
  return result;
}

}  // namespace evo::cli::testing
