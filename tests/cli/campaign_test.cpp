// Same seed, same lineage: over threads, kills and replays.
#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

/// Starts evo and kills it with SIGKILL after `delay`; true if it was still running.
bool run_and_kill(const std::vector<std::string>& arguments, std::chrono::milliseconds delay) {
  const pid_t child = ::fork();
  if (child == 0) {
    become_silent_evo(arguments);
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

/// Of a suite: one finished run, which its tests leave as it is. ctest runs such a suite in one process.
template <class Suite>
struct OfOneRun : ::testing::Test {
  static void SetUpTestSuite() {
    if (!have_nvrtc()) return;
    folder = std::make_unique<Scratch>();
    reference = run_evo(Suite::command(*folder / "reference"));
  }
  static void TearDownTestSuite() { folder.reset(); }
  void SetUp() override {
    SKIP_WITHOUT_NVRTC();
    ASSERT_EQ(reference.exit_code, 0) << reference.err;
  }
  static std::string path(const std::string& name) { return *folder / name; }

  static inline std::unique_ptr<Scratch> folder;
  static inline Output reference;
};

struct FinishedRun : OfOneRun<FinishedRun> {
  static std::vector<std::string> command(const std::string& run) {
    return quick_run(
        run, {"--set", "search.population=5", "--set", "search.generations=2", "--set", "budget.trials=10"});
  }
};

/// All slow.
struct QuickstartRun : OfOneRun<QuickstartRun> {
  static std::vector<std::string> command(const std::string& run) { return small_run(run, {"-j", "1"}); }
};

void expect_what_the_design_promises(const Output& reference, const std::string& run) {
  const auto document = parse_object(reference.out);
  EXPECT_EQ(document.at("status"), "done");
  EXPECT_EQ(document.at("latency_kind"), "modelled");
  EXPECT_EQ(document.at("trials"), 10);
  EXPECT_EQ(document.at("device").as_object().at("kind"), "virtual");
  EXPECT_TRUE(document.at("baseline").as_object().at("ci95").is_null())
      << "modelled latencies have no interval";
  EXPECT_GE(document.at("champion").as_object().at("speedup").as_double(), 1.0);
  std::int64_t sum = 0;
  for (const auto& entry : document.at("counts").as_object()) sum += entry.value().to_number<std::int64_t>();
  EXPECT_EQ(sum, 10);
  for (const char* file : {"experiment.yaml", "ledger.sqlite", "log", "report", "champion/provenance.json"}) {
    EXPECT_TRUE(std::filesystem::exists(run + "/" + file)) << file;
  }
}

TEST_F(FinishedRun, ReportsWhatTheDesignPromises) {
  expect_what_the_design_promises(reference, path("reference"));
}

TEST_F(QuickstartRun, ReportsWhatTheDesignPromises) {
  expect_what_the_design_promises(reference, path("reference"));
}

TEST_F(QuickstartRun, ThreadsDoNotChangeTheLineage) {
  const Output two = run_evo(small_run(path("two"), {"-j", "2"}));
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(lineage_of(path("two")), lineage_of(path("reference")));
}

/// Kills `command` at `kills` instants of its own time, resumes each, and compares with the undisturbed run
/// in `reference`, which took `seconds`. Returns how many were still running.
int kill_and_resume(int kills, double seconds, const std::string& reference,
                    const std::function<std::vector<std::string>(const std::string& run)>& command) {
  std::mt19937 generator(20261120);  // NOLINT: instants, not a search
  std::uniform_real_distribution<double> instant(0.0, seconds);
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    const std::string run = reference + "-killed" + std::to_string(i);
    killed +=
        run_and_kill(command(run), std::chrono::milliseconds(static_cast<int>(1000 * instant(generator))))
            ? 1
            : 0;
    const bool began =
        std::filesystem::exists(run + "/ledger.sqlite") && std::filesystem::exists(run + "/experiment.yaml");
    // Killed before the run existed: the same command starts it.
    const Output ended =
        run_evo(began ? std::vector<std::string>{"resume", run, "--json", "-q"} : command(run));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lineage_of(run), lineage_of(reference)) << "kill " << i;
  }
  return killed;
}

double seconds_of(const Output& run) {
  return parse_object(run.out).at("elapsed_seconds").as_double();
}

TEST_F(FinishedRun, AnotherSeedIsAnotherLineage) {
  std::vector<std::string> words = command(path("other"));
  words.insert(words.end(), {"--seed", "2"});
  const Output other = run_evo(words);
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(lineage_of(path("other")), lineage_of(path("reference")));
}

TEST_F(FinishedRun, KillNineThenResumeIsTheUndisturbedRun) {
  const int killed = kill_and_resume(8, seconds_of(reference), path("reference"), command);
  EXPECT_GT(killed, 4) << "the kills came too late to test anything";
}

TEST_F(QuickstartRun, KillNineThenResumeIsTheUndisturbedRun) {
  EXPECT_GT(kill_and_resume(2, seconds_of(reference), path("reference"), command), 0);
}

TEST_F(QuickstartRun, ReplayMatches) {
  const Output replay = run_evo({"replay", path("reference"), "--json"});
  EXPECT_EQ(replay.exit_code, 0) << replay.err << replay.out;
  const auto document = parse_object(replay.out);
  EXPECT_EQ(document.at("match"), true);
  EXPECT_EQ(document.at("trials"), 10);
  EXPECT_EQ(run_evo({"replay", path("reference"), "champion"}).exit_code, 0);
}

TEST_F(QuickstartRun, ReplayNamesAnAlteredRow) {
  std::filesystem::copy(path("reference"), path("altered"));
  sql(path("altered"),
      "UPDATE trials SET reason = 'forged' WHERE rowid = (SELECT max(rowid) - 2 FROM trials)");
  const Output replay = run_evo({"replay", path("altered"), "--json"});
  EXPECT_EQ(replay.exit_code, 6) << replay.err;
  EXPECT_NE((replay.out + replay.err).find("7"), std::string::npos)
      << "names the row: " << replay.out << replay.err;
}

TEST_F(FinishedRun, LineageAndInsightsNeedNoToolkit) {
  const std::string without = "unset CUDA_HOME CUDA_PATH; EVO_NVRTC=/nonexistent";
  EXPECT_EQ(run_evo({"lineage", path("reference")}, without).exit_code, 0);
  EXPECT_EQ(run_evo({"lineage", path("reference"), "champion"}, without).exit_code, 0);
  const Output insights = run_evo({"insights", path("reference"), "--json"}, without);
  EXPECT_EQ(insights.exit_code, 0);
  EXPECT_FALSE(parse_object(insights.out).at("generations").as_array().empty());
  EXPECT_TRUE(parse_object(insights.out).at("summary").at("champion").is_string());
  EXPECT_EQ(run_evo({"insights", path("reference"), "--generation", "1000"}, without).exit_code, 2);
  EXPECT_EQ(run_evo({"insights", path("reference"), "--merge", path("reference")}, without).exit_code, 2);
}

TEST_F(FinishedRun, ResumeOfAFinishedRunChangesNothing) {
  const std::string before = lineage_of(path("reference"));
  EXPECT_EQ(run_evo({"resume", path("reference"), "--json", "-q"}).exit_code, 0);
  EXPECT_EQ(lineage_of(path("reference")), before);
}

TEST_F(FinishedRun, ExportIsComplete) {
  const Output exported = run_evo({"export", path("reference"), "-o", path("export"), "--json"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_TRUE(std::filesystem::exists(path("export") + "/selftest.cu"));
  const auto provenance = parse_object(read_file(path("export") + "/provenance.json"));
  EXPECT_FALSE(provenance.empty());
}

}  // namespace
}  // namespace evo::cli
