// evo report and evo runs as people call them. Needs no NVRTC.
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/run_evo.hpp"
#include "tests/report/ledgers.hpp"

namespace evo::cli {
namespace {

using report::testing::invent_run;
using testing::Output;
using testing::read_file;
using testing::run_evo;
using testing::Scratch;

/// What stands between the page's data tags.
boost::json::value data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return boost::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(ReportCommand, ThePageHoldsWhatJsonPrints) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 20});
  const Output printed = run_evo({"report", scratch / "run", "--json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const Output written = run_evo({"report", scratch / "run", "-o", scratch / "page.html"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_TRUE(written.out.empty());
  const boost::json::value page = data_of(read_file(scratch / "page.html")),
                           json = boost::json::parse(printed.out);
  EXPECT_EQ(page.at("runs"), json.at("runs"));
  EXPECT_EQ(json.at("schema_version").as_int64(), 1);
  EXPECT_EQ(json.at("runs").at(0).at("run").as_string(), scratch / "run");
  EXPECT_FALSE(std::filesystem::exists(scratch / "page.html.new")) << "written aside, then renamed";
}

TEST(ReportCommand, LeavesTheRunFolderAsItIs) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 20});
  const auto files = [&] {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(scratch / "run"))
      found[entry.path().filename()] = read_file(entry.path());
    return found;
  };
  const auto before = files();
  EXPECT_EQ(run_evo({"report", scratch / "run", "-o", scratch / "page.html"}).exit_code, 0);
  EXPECT_EQ(run_evo({"runs", scratch / ""}).exit_code, 0);
  EXPECT_EQ(files(), before);
}

TEST(ReportCommand, MistakesHaveTheirExitCodes) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 5});
  EXPECT_EQ(run_evo({"report"}).exit_code, 2);
  EXPECT_EQ(run_evo({"report", scratch / "nowhere"}).exit_code, 2);
  EXPECT_EQ(run_evo({"report", scratch / "run", scratch / "nowhere", "-o", scratch / "p.html"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch / "p.html"));
  EXPECT_EQ(run_evo({"report", scratch / "run", "-o", scratch / "no/such/p.html"}).exit_code, 4);
  for (const char* bench : {"{", "[]", "{\"cases\":[]}"}) {
    std::ofstream(scratch / "bench.json") << bench;
    EXPECT_EQ(run_evo({"report", scratch / "run", "--json", "--bench", scratch / "bench.json"}).exit_code, 3)
        << bench;
  }
  EXPECT_EQ(run_evo({"report", "--json", "--bench", scratch / "none.json", scratch / "run"}).exit_code, 3);
  EXPECT_EQ(run_evo({"runs", scratch / "nowhere"}).exit_code, 2);
  EXPECT_EQ(run_evo({"report", scratch / "run", scratch / "run", "--card", scratch / "c.svg"}).exit_code, 2);
  EXPECT_EQ(run_evo({"report", scratch / "run", "--card", scratch / "no/such/c.svg"}).exit_code, 4);
  std::filesystem::create_directories(scratch / "bad");
  std::ofstream(scratch / "bad/ledger.sqlite") << std::string(4096, 'x');
  EXPECT_EQ(run_evo({"report", scratch / "bad", "-o", scratch / "p.html"}).exit_code, 4);
  const Output listed = run_evo({"runs", scratch / "", "--json"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_EQ(boost::json::parse(listed.out).at("runs").as_array().size(), 2U);
}

TEST(ReportCommand, WatchWritesThePageAgainUntilTheRunEnds) {
  const Scratch scratch;
  const std::string run = scratch / "run", page = scratch / "page.html";
  const pid_t writer = ::fork();
  if (writer == 0) {
    const engine::RunLock lock(run);
    report::testing::Inventor inventor(run, {.trials = 30});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    inventor.make();
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    ::_exit(0);
  }
  while (!std::filesystem::exists(run + "/ledger.sqlite"))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Output watched = run_evo({"report", run, "--watch", "-o", page});
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  ::waitpid(writer, nullptr, 0);
  const boost::json::value last = data_of(read_file(page)).at("runs").at(0);
  EXPECT_EQ(last.at("trials").to_number<int>(), 30) << "it went on beyond the first look";
}

// What an engineer asks of one trial of a run on a GPU.
TEST(ShowCommand, HasTheRawSamplesOfATrialAndItsComparison) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 40, .samples = true});
  const Output printed = run_evo({"show", scratch / "run", "champion", "--json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const boost::json::value json = boost::json::parse(printed.out);
  const auto& paired = json.at("paired").as_object();
  EXPECT_EQ(paired.at("timing").at("clocks").at("kept").as_int64(), 1);
  const auto trials =
      engine::open_sqlite_ledger(scratch / "run/ledger.sqlite", engine::LedgerMode::read)->trials();
  const auto& record = trials.at(static_cast<std::size_t>(json.at("trial").as_int64()));
  ASSERT_FALSE(record.gates.empty());
  ASSERT_EQ(json.at("gates").as_array().size(), record.gates.size());
  EXPECT_EQ(json.at("gates").at(0).at("gate").as_string(), model::name_of(record.gates.front().gate));
  EXPECT_EQ(json.at("gates").at(0).at("ms").to_number<double>(), record.gates.front().milliseconds);
  ASSERT_EQ(json.at("samples").as_array().size(), 6U)
      << "two workloads alone, and both sides of each in turn";
  std::size_t samples = 0;
  for (const boost::json::value& one : json.at("samples").as_array())
    samples += one.at("us").as_array().size();
  EXPECT_EQ(samples, 2U * 60 + 4U * 20);
  const Output csv = run_evo({"show", scratch / "run", "champion", "--samples"});
  EXPECT_EQ(csv.exit_code, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')), samples + 1);
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "workload,side,sample,us");
  EXPECT_EQ(run_evo({"show", scratch / "run"}).out, run_evo({"show", scratch / "run", "champion"}).out);
  // The same trial by its number.
  const std::string number = std::to_string(json.at("trial").as_int64());
  EXPECT_EQ(run_evo({"show", scratch / "run", "--trial", number, "--json"}).out, printed.out);
}

TEST(ShowCommand, SaysWhatIsUnusualAndTheRunCountsIt) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60, .samples = true});
  const boost::json::value report =
      boost::json::parse(run_evo({"report", scratch / "run", "--json"}).out).at("runs").at(0);
  std::int64_t discarded = 0, kept = 0, drifting = 0, ties = 0;
  for (std::int64_t trial = 0; trial < 60; ++trial) {
    const boost::json::value one = boost::json::parse(
        run_evo({"show", scratch / "run", "--trial", std::to_string(trial), "--json"}).out);
    EXPECT_EQ(one.at("trial").as_int64(), trial);
    if (const auto* timing = one.at("timing").if_object()) {
      discarded += timing->at("clocks").at("discarded").as_int64();
      drifting += timing->at("odd").as_array().empty() ? 0 : 1;
      EXPECT_EQ(timing->at("odd").as_array().empty(), trial % 10 != 9) << trial;
    }
    if (const auto* paired = one.at("paired").if_object())
      kept += paired->at("timing").at("clocks").at("kept").as_int64();
    ties += one.at("tie").is_null() ? 0 : 1;
  }
  EXPECT_GT(discarded, 0);
  EXPECT_GT(ties, 0);
  const boost::json::value& sums = report.at("timings");
  EXPECT_EQ(sums.at("discarded").as_int64(), discarded);
  EXPECT_EQ(sums.at("kept").as_int64(), kept);
  EXPECT_EQ(sums.at("odd_trials").at("drifting").as_int64(), drifting);
  EXPECT_EQ(report.at("ties").at("kept").as_int64() + report.at("ties").at("taken").as_int64(), ties);
}

TEST(ShowCommand, MistakesAndRunsWithoutSamples) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 5, .measured = false});
  EXPECT_EQ(run_evo({"show"}).exit_code, 2);
  EXPECT_EQ(run_evo({"show", scratch / "nowhere"}).exit_code, 2);
  EXPECT_EQ(run_evo({"show", scratch / "run", "no-such-variant"}).exit_code, 2);
  EXPECT_EQ(run_evo({"show", scratch / "run", "--trial", "5"}).exit_code, 2);
  EXPECT_EQ(run_evo({"show", scratch / "run", "champion", "--trial", "1"}).exit_code, 2);
  const Output modelled = run_evo({"show", scratch / "run", "champion", "--json"});
  EXPECT_EQ(modelled.exit_code, 0) << modelled.err;
  EXPECT_TRUE(boost::json::parse(modelled.out).at("samples").as_array().empty());
  EXPECT_TRUE(boost::json::parse(modelled.out).at("timing").is_null());
  EXPECT_EQ(run_evo({"show", scratch / "run", "champion", "--samples"}).out, "workload,side,sample,us\n");
}

}  // namespace
}  // namespace evo::cli
