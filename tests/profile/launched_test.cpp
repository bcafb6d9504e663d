// A GPU's counters with scripts in the place of the launcher and of ncu.
#include "evaluators/profile/launched.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <boost/json.hpp>

#include "evaluators/profile/sampled.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::profile {
namespace {

namespace fs = std::filesystem;

class Launched : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo-fake-ncu-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    job_ = tests::vector_add_job();
    job_.artifact.resources.registers = 40;
    settings_.device = "a GPU";
  }
  void TearDown() override {
    ::unsetenv("EVO_NCU");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string script(const std::string& name, const std::string& body) {
    const fs::path program = folder_ / name;
    std::ofstream(program) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(program, fs::perms::owner_all);
    return program.string();
  }
  void launcher(const std::string& body) { settings_.launcher = {script("launcher", body)}; }
  void ncu(const std::string& body) {
    ::setenv("EVO_NCU",
             script("ncu", "[ \"$1\" = --version ] && echo 'Version 2025.3.1.0 (build 1)' && exit\n" + body)
                 .c_str(),
             1);
  }
  gates::Profiled run() { return LaunchedProfiler(settings_).profile(job_); }

  fs::path folder_;
  gates::DeviceJob job_;
  LaunchedSettings settings_;
};

/// A launch of each of the three cases.
constexpr const char* table =
    R"(printf '%s\n' '"ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum"' '"","","byte","ns"'
for i in 1 2 3; do echo "\"$i\",\"add\",\"$i,000\",\"$i\""; done)";

TEST_F(Launched, CuptiCountsInTheLauncher) {
  launcher(R"([ "$1 $2 $3 $4" = "--counters cupti --launches 0" ] || exit 3
[ -s "$5" ] || exit 4
echo "launched even"
echo 'counters {"method":"CUPTI range profiler","cases":[[{"dram__bytes.sum":[64],"no.such":[1]}],[{"gpu__time_duration.sum":[2500,9000,2400]}],[{}]]}')");
  const auto profiled = run();
  ASSERT_TRUE(profiled.reading.has_value());
  EXPECT_EQ(profiled.reading->basis, model::CounterBasis::measured);
  EXPECT_EQ(profiled.reading->method, "CUPTI range profiler");
  ASSERT_EQ(profiled.reading->kernels.size(), 3U);
  EXPECT_EQ(profiled.reading->kernels[0].find("dram_bytes"), 64);
  EXPECT_EQ(profiled.reading->kernels[0].find("registers"), 40) << "as compiled";
  EXPECT_EQ(profiled.reading->kernels[1].find("duration_us"), 2.5) << "the metric counts nanoseconds";
  EXPECT_EQ(profiled.reading->kernels[1].launches, 3) << "the value is their median";
  EXPECT_EQ(profiled.reading->kernels[1].spread.at("duration_us"), (std::array<double, 2>{2.4, 9.0}));
  EXPECT_TRUE(profiled.reading->kernels[0].spread.empty()) << "one launch has none";
  EXPECT_EQ(profiled.reading->kernels[1].find("dram_bytes"), std::nullopt);
  EXPECT_TRUE(profiled.refused.empty());
}

constexpr const char* counted =
    R"([ "$2" = cupti ] && echo 'counters {"method":"CUPTI range profiler","cases":[[{}],[{}],[{}]]}' && exit
)";

TEST_F(Launched, ItsLinesAreSampledBesideTheCountersWhereTheyAreAskedFor) {
  launcher(std::string(counted) + R"([ "$1 $2" = "--counters samples" ] || exit 3
echo launched
echo 'samples {"method":"CUPTI PC sampling","cases":[{"samples":9,"dropped":1,"launches":5,"places":[{"function":"vector_add","offset":16,"file":"/b/k.cu","line":7,"stalls":{"wait":2}},{"function":"helper","offset":32,"file":"/b/k.cu","line":9,"stalls":{"wait":1,"selected":4}},{"function":"vector_add","offset":48,"file":"/b/k.cu","line":7,"stalls":{"wait":1}}]},{"samples":0,"dropped":0,"launches":5,"places":[]}]}')");
  EXPECT_TRUE(run().reading->kernels.at(0).sampled.empty()) << "nobody asked";
  settings_.sample_lines = true;
  const auto profiled = run();
  ASSERT_TRUE(profiled.reading.has_value());
  EXPECT_TRUE(profiled.refused.empty());
  const auto& kernel = profiled.reading->kernels.at(0);
  ASSERT_EQ(kernel.sampled.size(), 2U);
  EXPECT_EQ(kernel.sampled[0].line, 9) << "most first; what it calls is its own";
  EXPECT_EQ(kernel.sampled[0].samples(), 5U);
  EXPECT_EQ(kernel.sampled[1].stalls.at("wait"), 3U) << "two places of one line";
  EXPECT_EQ(kernel.samples_dropped, 1U);
  EXPECT_TRUE(profiled.reading->kernels.at(1).sampled.empty());
}

TEST_F(Launched, WithoutSamplesTheCountersStand) {
  settings_.sample_lines = true;
  for (const char* why : {"echo 'no_counters libcupti has no PC sampling'; exit 1",
                          "echo 'no_permission cuptiPCSamplingEnable'; exit 1", "kill -9 $$"}) {
    launcher(std::string(counted) + why);
    const auto profiled = run();
    EXPECT_TRUE(profiled.reading.has_value()) << why;
    EXPECT_FALSE(profiled.failure.has_value()) << why;
    ASSERT_EQ(profiled.refused.size(), 1U) << why;
    EXPECT_EQ(profiled.refused[0].tool, "CUPTI PC sampling") << why;
  }
}

/// A plan of two kernels, one of which is launched twice.
TEST(Sampled, LinesStandAtTheKernelThatRanThem) {
  gates::DeviceJob job = tests::vector_add_job();
  job.cases.resize(1);
  model::CounterReading reading;
  for (const char* name : {"first", "second", "first"})
    reading.kernels.push_back({job.cases[0].name, name, {}, "", {}});
  const auto place = [](const char* function, int line) {
    return boost::json::object{{"function", function},
                               {"offset", 0},
                               {"file", "k.cu"},
                               {"line", line},
                               {"stalls", boost::json::object{{"wait", 1}}}};
  };
  add_samples(
      boost::json::object{
          {"cases",
           boost::json::array{boost::json::object{
               {"dropped", 0}, {"places", boost::json::array{place("second", 2), place("first", 1)}}}}}},
      job, reading);
  ASSERT_EQ(reading.kernels[0].sampled.size(), 1U);
  EXPECT_EQ(reading.kernels[0].sampled[0].line, 1);
  ASSERT_EQ(reading.kernels[1].sampled.size(), 1U);
  EXPECT_EQ(reading.kernels[1].sampled[0].line, 2);
  EXPECT_TRUE(reading.kernels[2].sampled.empty()) << "sampled together with the first";
}

TEST_F(Launched, WhereCuptiIsAbsentNcuCounts) {
  launcher("echo 'no_counters libcupti.so.13 or .12 is not installed'; exit 1");
  ncu(table);
  const auto profiled = run();
  ASSERT_TRUE(profiled.reading.has_value());
  EXPECT_EQ(profiled.reading->method, "ncu 2025.3.1.0");
  ASSERT_EQ(profiled.reading->kernels.size(), 3U);
  EXPECT_EQ(profiled.reading->kernels[0].find("dram_bytes"), 1000);
  EXPECT_EQ(profiled.reading->kernels[2].find("dram_bytes"), 3000);
  ASSERT_EQ(profiled.refused.size(), 1U);
  EXPECT_EQ(profiled.refused[0].tool, "CUPTI");
}

// A launch of 20 ms: five fit into a tenth of a second, and one before them is left out.
TEST_F(Launched, NcuCountsAsManyLaunchesAsTheirLengthAllowsAndTheirMedianCounts) {
  settings_.try_cupti = false;
  launcher("[ \"$1 $2 $3\" = '--counters none --launches' ] || exit 3; echo \"$4\" >> " +
           (folder_ / "asked").string() + "; echo 'took 300'; echo 'took 19000'");
  ncu(R"(for last; do :; done
case "$*" in *"--profile-from-start off"*"--launches 5 "*) ;; *) exit 5 ;; esac
printf '%s\n' '"ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum"' '"","","byte","ns"'
for case in 10 20 30; do for i in 900 5 3 4 1 2; do echo "\"1\",\"add\",\"$case\",\"$i,000\""; done; done)");
  const auto profiled = run();
  ASSERT_TRUE(profiled.reading.has_value()) << profiled.refused.at(0).reason;
  ASSERT_EQ(profiled.reading->kernels.size(), 3U);
  const auto& second = profiled.reading->kernels[1];
  EXPECT_EQ(second.find("dram_bytes"), 20);
  EXPECT_EQ(second.find("duration_us"), 3);
  EXPECT_EQ(second.launches, 5);
  EXPECT_EQ(second.spread.at("duration_us"), (std::array<double, 2>{1, 5}));
  std::ifstream asked(folder_ / "asked");
  std::string launches;
  asked >> launches;
  EXPECT_EQ(launches, "0") << "how long they take is asked without ncu";
}

TEST_F(Launched, AsManyLaunchesAsTheUserSays) {
  settings_.try_cupti = false;
  settings_.launches = 1;
  launcher("echo asked > " + (folder_ / "asked").string());
  ncu(table);
  EXPECT_EQ(run().reading->kernels.at(0).launches, 1);
  EXPECT_FALSE(fs::exists(folder_ / "asked")) << "nobody needs to know how long they take";
}

TEST_F(Launched, LaunchesThatNcuDoesNotTellOfAreNoCounters) {
  settings_.try_cupti = false;
  launcher("exit 0");
  ncu(std::string(table) + "\necho '\"4\",\"other\",\"1\",\"1\"'");
  const auto profiled = run();
  EXPECT_FALSE(profiled.reading.has_value());
  ASSERT_EQ(profiled.refused.size(), 1U);
  EXPECT_FALSE(profiled.refused[0].not_permitted);
}

TEST_F(Launched, NoPermissionIsToldWithWhatToDo) {
  launcher("echo 'no_permission cuptiRangeProfilerEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES'; exit 1");
  ncu("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1");
  const auto profiled = run();
  EXPECT_FALSE(profiled.reading.has_value());
  ASSERT_EQ(profiled.refused.size(), 2U);
  EXPECT_TRUE(profiled.refused[0].not_permitted);
  EXPECT_TRUE(profiled.refused[1].not_permitted);
  EXPECT_NE(gates::refusal_of(profiled.refused).find("NVreg_RestrictProfilingToAdminUsers"),
            std::string::npos);
}

TEST_F(Launched, AKernelThatFailsIsTheCandidatesFailureAndNobodyElseIsAsked) {
  launcher("echo 'launched even'; echo 'failed odd: illegal_address'; exit 1");
  ncu("echo asked > " + (folder_ / "asked").string());
  const auto profiled = run();
  ASSERT_TRUE(profiled.failure.has_value());
  EXPECT_EQ(profiled.failure->status, model::Status::launch_error);
  EXPECT_FALSE(fs::exists(folder_ / "asked"));
}

TEST_F(Launched, ALauncherThatDiesAndOneThatHangsAreNoCounters) {
  settings_.try_ncu = false;
  launcher("kill -9 $$");
  EXPECT_EQ(run().refused.size(), 1U);
  settings_.timeout = std::chrono::milliseconds(200);
  launcher("sleep 60");
  const auto profiled = run();
  EXPECT_EQ(profiled.refused.size(), 1U);
  EXPECT_FALSE(profiled.reading.has_value());
}

}  // namespace
}  // namespace evo::evaluators::profile
