// The driver with a stand-in for compute-sanitizer: a script that prints what the real one would.
#include "evaluators/sanitizer/compute_sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "evaluators/sanitizer/findings.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::sanitizer {
namespace {

namespace fs = std::filesystem;
using State = ToolRun::State;

/// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class Driver : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo-fake-sanitizer-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::create_directories(folder_ / "bin");
    home_ = std::make_unique<Variable>("CUDA_HOME", folder_.string());
    named_ = std::make_unique<Variable>("EVO_COMPUTE_SANITIZER", "");
    settings_.launcher = {"/bin/true", "launch-job"};
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// `body` sees the tool's name in $2 and the whole command in $@.
  void install(const std::string& body) {
    const fs::path program = folder_ / "bin/compute-sanitizer";
    std::ofstream(program) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  [[nodiscard]] Report run(const std::string& ptx = {}) {
    gates::DeviceJob job = tests::vector_add_job();
    job.artifact.ptx = ".visible .entry k()\n{\n" + std::string(ptx) + "\n}\n";
    return run_compute_sanitizer(job, settings_);
  }
  static constexpr const char* all_launched =
      "echo 'launched even'; echo 'launched odd'; echo 'launched one'\n";
  static constexpr const char* clean =
      "case $2 in racecheck) echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 "
      "warnings)';;\n"
      "*) echo '========= ERROR SUMMARY: 0 errors';; esac\n";

  fs::path folder_;
  std::unique_ptr<Variable> home_, named_;
  Settings settings_;
};

TEST_F(Driver, ACleanKernelIsCleanForAllFourTools) {
  install(std::string("for last; do :; done; test -s \"$last\" || exit 9\n") + all_launched + clean);
  const Report report = run();
  ASSERT_EQ(report.runs.size(), 4U);
  for (const ToolRun& tool : report.runs) {
    EXPECT_EQ(tool.state, State::clean) << tool.tool << " " << tool.reason;
    EXPECT_EQ(tool.cases, (std::vector<std::string>{"even", "odd", "one"}));
  }
  EXPECT_EQ(report.runs[0].tool, "memcheck");
  EXPECT_EQ(report.runs[1].tool, "racecheck");
  EXPECT_EQ(report.runs[2].tool, "initcheck");
  EXPECT_EQ(report.runs[3].tool, "synccheck");
  EXPECT_FALSE(report.failure());
  EXPECT_FALSE(report.blind_spots.empty());
}

TEST_F(Driver, TheToolGetsTheLauncherAndTheJobAndNoFileIsLeftBehind) {
  const fs::path seen = folder_ / "seen";
  install("for last; do :; done; echo \"$@\" >> " + seen.string() + "; cp \"$last\" " +
          (folder_ / "job").string() + "; echo \"$last\" > " + (folder_ / "name").string() + "\n" +
          all_launched + clean);
  EXPECT_FALSE(run().failure());
  std::string line, name;
  std::getline(std::ifstream(seen) >> std::ws, line);
  EXPECT_TRUE(line.starts_with("--tool memcheck ")) << line;
  EXPECT_NE(line.find(" /bin/true launch-job "), std::string::npos) << line;
  std::ifstream job(folder_ / "job");
  const std::string text{std::istreambuf_iterator<char>(job), {}};
  EXPECT_EQ(gates::device_job_from_json(text).cases.size(), 3U);
  std::getline(std::ifstream(folder_ / "name"), name);
  EXPECT_FALSE(fs::exists(name)) << name;
}

TEST_F(Driver, AFindingOfAnyToolRefuses) {
  for (const auto& [tool, report] : {std::pair{"memcheck", "Invalid __global__ read of size 4 bytes"},
                                     {"racecheck", "Error: Race reported between Write access at k.cu:3"},
                                     {"initcheck", "Uninitialized __global__ memory read of size 4 bytes"},
                                     {"synccheck", "Barrier error detected. Divergent thread(s) in warp"}}) {
    install(std::string(all_launched) + "[ $2 = " + tool + " ] && echo '========= " + report + "'\n" + clean);
    const Report got = run();
    const auto failure = got.failure();
    ASSERT_TRUE(failure) << tool;
    EXPECT_EQ(failure->status, model::Status::sanitizer_fail);
    ASSERT_EQ(failure->evidence.size(), 1U);
    EXPECT_EQ(failure->reason, failure->evidence[0].kind);
    EXPECT_EQ(detail_of(failure->evidence[0], "tool"), tool);
  }
}

TEST_F(Driver, HazardsOfAKernelWithWgmmaAreKeptWithTheirExcuse) {
  install(std::string(all_launched) +
          "[ $2 = racecheck ] && echo '========= Error: Race reported between Write access at k.cu:3'\n" +
          clean);
  const Report report =
      run("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1;\n");
  EXPECT_FALSE(report.failure());
  ASSERT_EQ(report.runs[1].state, State::findings);
  ASSERT_EQ(report.runs[1].findings.size(), 1U);
  EXPECT_NE(detail_of(report.runs[1].findings[0], "excuse"), "");
  EXPECT_NE(report.text().find("wgmma"), std::string::npos);
}

TEST_F(Driver, AWarningIsKeptAndDoesNotRefuse) {
  install(std::string(all_launched) +
          "[ $2 = racecheck ] && echo '========= Warning: Race reported between Read access at k.cu:3'\n" +
          clean);
  const Report report = run();
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.runs[1].state, State::findings);
}

TEST_F(Driver, AReportInUnknownWordsIsAFinding) {
  install(std::string(all_launched) +
          "echo '========= Something new: warp 3'\necho '========= ERROR SUMMARY: 2 errors'\n");
  const auto failure = run().failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "unread_report");
  install(std::string(all_launched) +
          "echo '========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)'\n");
  const Report warned = run();
  EXPECT_FALSE(warned.failure());
  EXPECT_EQ(warned.runs[1].state, State::findings);
}

TEST_F(Driver, SilenceProvesNothing) {
  install("exit 0");
  for (const ToolRun& tool : run().runs) EXPECT_EQ(tool.state, State::not_run);
  install(all_launched);
  for (const ToolRun& tool : run().runs) {
    EXPECT_EQ(tool.state, State::incomplete);
    EXPECT_EQ(tool.reason, "it ended without a summary");
  }
  install(std::string("echo 'launched even'\n") + clean);
  for (const ToolRun& tool : run().runs) {
    EXPECT_EQ(tool.state, State::incomplete);
    EXPECT_EQ(tool.reason, "1 of 3 launches done");
  }
  // Seen on a GPU: the watched process died behind its launches, before racecheck came to report.
  install(all_launched + std::string("echo \"========= Error: process didn't terminate successfully\"\n") +
          clean);
  for (const ToolRun& tool : run().runs) EXPECT_EQ(tool.state, State::incomplete);
  install(std::string("echo '========= Device not supported. Please refer to the manual'\n") + clean);
  const Report report = run();
  for (const ToolRun& tool : report.runs) {
    EXPECT_EQ(tool.state, State::not_run);
    EXPECT_EQ(tool.reason, "Device not supported. Please refer to the manual");
  }
  EXPECT_FALSE(report.failure()) << "that nothing ran is no finding";
  EXPECT_NE(report.text().find("not run: Device not supported"), std::string::npos);
}

TEST_F(Driver, WhyTheLaunchesFailedIsTold) {
  install(std::string("echo 'failed even: launch_out_of_resources'\n") + clean);
  EXPECT_EQ(run().runs[0].reason, "failed even: launch_out_of_resources");
}

TEST_F(Driver, ATimeLimitIsKeptAndWhatWasSeenCounts) {
  settings_.timeout = std::chrono::milliseconds(300);
  install(
      "echo 'launched even'; [ $2 = memcheck ] && echo '========= Invalid __global__ read of size 4 "
      "bytes'\nsleep 60\n");
  const Report report = run();
  ASSERT_EQ(report.runs.size(), 4U);
  EXPECT_EQ(report.runs[1].state, State::incomplete);
  EXPECT_NE(report.runs[1].reason.find("1 of 3 launches"), std::string::npos) << report.runs[1].reason;
  ASSERT_TRUE(report.failure()) << "a finding before the limit is one";
}

TEST_F(Driver, AStopEndsTheToolAndWhatFollows) {
  install("echo 'launched even'; sleep 60\n");
  std::stop_source stop;
  stop.request_stop();
  settings_.stop = stop.get_token();
  for (const ToolRun& tool : run().runs) EXPECT_EQ(tool.reason, "interrupted");
}

TEST_F(Driver, TheEnvironmentCanNameTheProgram) {
  install("exit 1\n");
  const fs::path other = folder_ / "another-sanitizer";
  fs::rename(folder_ / "bin/compute-sanitizer", other);
  install(std::string(all_launched) + clean);
  const Variable named("EVO_COMPUTE_SANITIZER", other.string());
  EXPECT_EQ(find_compute_sanitizer(), other);
  const Report report = run();
  EXPECT_EQ(report.program, other.string());
  for (const ToolRun& tool : report.runs) EXPECT_EQ(tool.state, State::not_run);
}

TEST_F(Driver, ANameOfNothingIsSaidAndNothingElseIsTaken) {
  install(std::string(all_launched) + clean);
  const std::string nothing = (folder_ / "nothing").string();
  const Variable named("EVO_COMPUTE_SANITIZER", nothing);
  const Report report = run();
  ASSERT_EQ(report.runs.size(), 4U);
  for (const ToolRun& tool : report.runs) {
    EXPECT_EQ(tool.state, State::not_run);
    EXPECT_NE(tool.reason.find(nothing), std::string::npos) << tool.reason;
  }
}

TEST_F(Driver, WithoutTheProgramTheReportSaysSo) {
  const Variable path("PATH", folder_.string());
  if (find_compute_sanitizer()) GTEST_SKIP() << "installed in a place that cannot be hidden";
  const Report report = run();
  EXPECT_TRUE(report.runs.empty());
  EXPECT_NE(report.reason.find("not installed"), std::string::npos);
  EXPECT_EQ(report.text(), "compute-sanitizer: not run: " + report.reason + "\n");
  EXPECT_FALSE(report.failure());
}

}  // namespace
}  // namespace evo::evaluators::sanitizer
