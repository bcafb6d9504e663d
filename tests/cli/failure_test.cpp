// What goes wrong around a run: each is one paragraph, the correct exit code, and nothing lost.
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

TEST(Failure, WithoutNvrtcARunSaysWhatToInstall) {
  const Scratch scratch;
  const Output output = run_evo(small_run(scratch / "run"), "EVO_NVRTC=/nonexistent/libnvrtc.so");
  EXPECT_EQ(output.exit_code, 4) << output.err;
  EXPECT_NE(output.err.find("NVRTC"), std::string::npos) << output.err;
}

TEST(Failure, ADeviceThatIsNotThere) {
  const Scratch scratch;
  const Output output = run_evo(small_run(scratch / "run", {"--device", "cuda:99"}));
  EXPECT_EQ(output.exit_code, 4) << output.err;
  EXPECT_NE(output.err.find("cuda:99"), std::string::npos) << output.err;
}

/// Each test has its own copy of one run.
struct AfterARun : ::testing::Test {
  static void SetUpTestSuite() {
    if (!have_nvrtc()) return;
    finished = std::make_unique<Scratch>();
    finished_exit_code = run_evo(quick_run(*finished / "run", {"--set", "budget.trials=3"})).exit_code;
  }
  static void TearDownTestSuite() { finished.reset(); }
  void SetUp() override {
    SKIP_WITHOUT_NVRTC();
    ASSERT_EQ(finished_exit_code, 0);
    run = scratch / "run";
    std::filesystem::copy(*finished / "run", run, std::filesystem::copy_options::recursive);
    lineage = lineage_of(run);
  }
  static inline std::unique_ptr<Scratch> finished;
  static inline int finished_exit_code = -1;
  Scratch scratch;
  std::string run, lineage;
};

TEST_F(AfterARun, TheSameFolderIsNotOverwritten) {
  const Output again = run_evo(quick_run(run));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("evo resume"), std::string::npos) << again.err;
  EXPECT_EQ(lineage_of(run), lineage);
}

TEST_F(AfterARun, ALedgerOfANewerVersionIsLeftAlone) {
  const std::filesystem::path ledger = run + "/ledger.sqlite";
  std::filesystem::copy_file(ledger, scratch / "before.sqlite");
  sql(run, "PRAGMA user_version = 9999");
  const std::string newer = read_file(ledger);
  const Output output = run_evo({"resume", run});
  EXPECT_EQ(output.exit_code, 4) << output.err;
  EXPECT_NE(output.err.find("9999"), std::string::npos) << output.err;
  EXPECT_EQ(read_file(ledger), newer);
  std::filesystem::copy_file(scratch / "before.sqlite", ledger,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(lineage_of(run), lineage);
}

TEST_F(AfterARun, AnotherToolchainIsNotResumed) {
  sql(run, "UPDATE meta SET toolchain = 'NVRTC 11.8'");
  const Output output = run_evo({"resume", run});
  // Another toolchain, or a row that was altered: either way the run is left as it is.
  EXPECT_TRUE(output.exit_code == 4 || output.exit_code == 6) << output.exit_code << output.err;
  EXPECT_TRUE(output.err.find("toolchain") != std::string::npos ||
              output.err.find("meta") != std::string::npos)
      << output.err;
}

TEST_F(AfterARun, AChangedProblemIsNotResumed) {
  // The resolved experiment names the problem's folder; a copy of it with a changed source is another
  // problem.
  std::filesystem::copy(source_path("examples/vector_add"), scratch / "vector_add",
                        std::filesystem::copy_options::recursive);
  std::ofstream(scratch / "vector_add/vector_add.cu", std::ios::app) << "// changed\n";
  std::string text = read_file(run + "/experiment.yaml");
  const std::string old_folder = source_path("examples/vector_add");
  const std::size_t at = text.find(old_folder);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, old_folder.size(), scratch / "vector_add");
  std::ofstream(run + "/experiment.yaml") << text;
  const Output output = run_evo({"resume", run});
  EXPECT_EQ(output.exit_code, 3) << output.err;
  EXPECT_NE(output.err.find("problem"), std::string::npos) << output.err;
}

/// Has the process come to where it takes Ctrl-C as a wish? Its threads leave the signal to one that waits.
bool takes_wishes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigBlk:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1)) % 2 != 0;
  }
  return false;
}

TEST(Failure, ARunFolderInUseNamesTheProcess) {
  SKIP_WITHOUT_NVRTC();
  const Scratch scratch;
  const std::string run = scratch / "run";
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::string> arguments =
        small_run(run, {"--set", "budget.trials=1000", "--set", "search.generations=300"});
    become_silent_evo(arguments);
  }
  for (int i = 0; i < 100 && !std::filesystem::exists(run + "/ledger.sqlite"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const Output second = run_evo({"resume", run});
  EXPECT_EQ(second.exit_code, 4) << second.err;
  EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
  EXPECT_NE(second.err.find(std::to_string(child)), std::string::npos) << second.err;

  for (int i = 0; i < 100 && !takes_wishes(child); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  // The first Ctrl-C ends it cleanly, with the command that continues it.
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(run_evo({"lineage", run}).exit_code, 0);
}

TEST(Failure, AFullDiskLosesNothing) {
  SKIP_WITHOUT_NVRTC();
  // A limit on file size stands for a full disk: the write that exceeds it fails. Where it fails depends on
  // the size of an empty ledger, so disks of many sizes are tried: some are full behind the first trials.
  std::size_t kept_trials = 0;
  for (int kilobytes = 140; kilobytes <= 260 && kept_trials == 0; kilobytes += 8) {
    const Scratch scratch;
    const std::string run = scratch / "run";
    const Output full =
        run_evo(small_run(run, {"--set", "budget.trials=1000", "--set", "search.generations=300"}),
                fmt::format("ulimit -f {};", kilobytes));
    ASSERT_EQ(full.exit_code, 4) << kilobytes << " KB: " << full.err;
    EXPECT_NE(full.err.find("ledger"), std::string::npos) << full.err;
    const Output lineage = run_evo({"lineage", run, "--json"});
    ASSERT_EQ(lineage.exit_code, 0) << kilobytes << " KB: " << lineage.err;
    kept_trials = parse_object(lineage.out).at("variants").as_array().size();
  }
  EXPECT_GT(kept_trials, 0U);
}

}  // namespace
}  // namespace evo::cli
