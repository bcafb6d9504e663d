// evo watch on a terminal and elsewhere, of runs that are invented. Needs no NVRTC.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/funnel.hpp"
#include "terminal/panel.hpp"
#include "tests/cli/run_evo.hpp"
#include "tests/cli/screen.hpp"
#include "tests/report/ledgers.hpp"

namespace evo::cli {
namespace {

using report::testing::invent_run;
using testing::OnTerminal;
using testing::Output;
using testing::run_evo;
using testing::Scratch;
using testing::Screen;
using testing::Terminal;

/// The run's document, which the panel must agree with.
boost::json::object document_of(const std::string& run) {
  return testing::parse_object(run_evo({"report", run, "--json"}).out).at("runs").at(0).as_object();
}

std::int64_t stage_passed(const boost::json::object& run, std::string_view gate) {
  for (const auto& stage : run.at("funnel").as_array())
    if (stage.at("gate").as_string() == gate) return stage.at("passed").as_int64();
  return -1;
}

void expect_standing(const Screen& screen, const boost::json::object& run) {
  EXPECT_NE(screen.row("gen").find(fmt::format("trial {0}/{0}", run.at("trials").as_int64())),
            std::string::npos)
      << screen.row("gen");
  const double best = run.at("champion").at("latency_us").as_double(),
               speedup = run.at("champion").at("speedup").as_double();
  EXPECT_TRUE(screen.row("best").starts_with(fmt::format("{:.3f} us", best))) << screen.row("best");
  EXPECT_TRUE(screen.row("speedup").starts_with(fmt::format("{:.2f}x ", speedup))) << screen.row("speedup");
  EXPECT_TRUE(screen.row("gates").starts_with(fmt::format("{} new > ", stage_passed(run, "proposed"))));
  const std::string correct = fmt::format(" > {} correct > ", stage_passed(run, "correctness"));
  EXPECT_NE(screen.row("gates").find(correct), std::string::npos) << screen.row("gates");
  EXPECT_TRUE(screen.row("gates").ends_with(fmt::format(" > {} better", stage_passed(run, "better"))))
      << screen.row("gates");
}

TEST(Watch, APanelOfAFinishedRunHasTheReportsNumbers) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 200});
  const boost::json::object run = document_of(scratch / "run");
  for (const unsigned short columns : std::initializer_list<unsigned short>{60, 80, 200}) {
    OnTerminal evo({"watch", scratch / "run"}, {.columns = columns});
    ASSERT_TRUE(evo.read_to_the_end());
    EXPECT_EQ(evo.exit_code(), 0) << evo.bytes();
    Screen screen(columns, 24);
    screen.feed(evo.bytes());
    EXPECT_EQ(screen.lines().size(), 8U);
    EXPECT_FALSE(screen.wrapped()) << columns;
    EXPECT_EQ(screen.unknown(), "");
    EXPECT_EQ(screen.cursor_column(), 0U);
    EXPECT_EQ(screen.row("left"), "done");
    EXPECT_TRUE(screen.row("run").starts_with("run, NVIDIA L4")) << screen.row("run");
    expect_standing(screen, run);
  }
}

TEST(Watch, FollowsARunAndEndsWithIt) {
  const Scratch scratch;
  const std::string folder = scratch / "run", go_on = scratch / "go_on";
  const auto wait_for = [](const std::string& file) {
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const pid_t writer = ::fork();
  if (writer == 0) {
    const engine::RunLock lock(folder);
    {
      report::testing::Inventor inventor(folder, {.trials = 20, .population = 10});
      wait_for(go_on);
      inventor.make();
    }
    wait_for(go_on + "2");
    ::_exit(0);
  }
  wait_for(folder + "/ledger.sqlite");
  OnTerminal evo({"watch", folder}, {.columns = 60});
  const auto shows = [](const std::string& what) {
    return [what](const std::string& text) { return text.find(what) != std::string::npos; };
  };
  EXPECT_TRUE(evo.read_until(shows("proving the baseline"))) << "nothing is in the ledger yet";
  std::ofstream(go_on) << "";
  EXPECT_TRUE(evo.read_until(shows("trial 20/20"))) << "it went on";
  std::ofstream(go_on + "2") << "";
  ASSERT_TRUE(evo.read_to_the_end());
  ::waitpid(writer, nullptr, 0);
  EXPECT_EQ(evo.exit_code(), 0) << evo.bytes();
  Screen screen(60, 24);
  std::size_t at = 0;
  for (std::size_t end = evo.bytes().find("\x1b[J", 1); end != std::string::npos;
       end = evo.bytes().find("\x1b[J", end + 1)) {
    screen.feed(evo.bytes().substr(at, end - at));
    at = end;
    EXPECT_LE(screen.count("gen"), 1U) << "one panel, drawn in place";
  }
  screen.feed(evo.bytes().substr(at));
  EXPECT_EQ(screen.lines().size(), 8U);
  EXPECT_EQ(screen.row("left"), "done");
  expect_standing(screen, document_of(folder));
}

TEST(Watch, WritesLinesWhereThereIsNoPanelToDraw) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 100, .population = 50});
  const Output piped = run_evo({"watch", scratch / "run"});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(piped.out.find('\x1b'), std::string::npos);
  EXPECT_NE(piped.out.find("generation 1: 50 trials, best "), std::string::npos) << piped.out;
  EXPECT_TRUE(piped.out.ends_with("done, 100 trials\n")) << piped.out;
  const auto on = [&](const std::string& name, const std::string& value,
                      const std::vector<std::string>& more = {}) {
    Terminal terminal;
    terminal.environment[name] = value;
    std::vector<std::string> arguments{"watch", scratch / "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    OnTerminal evo(arguments, terminal);
    EXPECT_TRUE(evo.read_to_the_end());
    std::string text = evo.bytes();
    std::erase(text, '\r');
    return text;
  };
  EXPECT_EQ(on("NO_COLOR", "1"), piped.out);
  EXPECT_EQ(on("TERM", "dumb"), piped.out);
  EXPECT_EQ(on("TERM", ""), piped.out);
  EXPECT_EQ(on("TERM", "xterm", {"--plain"}), piped.out);
  EXPECT_NE(on("TERM", "xterm"), piped.out);
}

TEST(Watch, NamesOfARunReachTheTerminalAsTextOnly) {
  const Scratch scratch;
  const std::string folder = scratch / "run\x1b]0;title\x07\x1b[2J";
  invent_run(folder, {.trials = 60, .hostile = true});
  OnTerminal evo({"watch", folder}, {});
  ASSERT_TRUE(evo.read_to_the_end());
  Screen screen(80, 24);
  screen.feed(evo.bytes());
  EXPECT_EQ(screen.unknown(), "");
  EXPECT_FALSE(screen.wrapped());
  EXPECT_EQ(screen.lines().size(), 8U);
}

TEST(Watch, ASmallTerminalGetsWhatFits) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  OnTerminal evo({"watch", scratch / "run"}, {.columns = 30, .rows = 5});
  ASSERT_TRUE(evo.read_to_the_end());
  Screen screen(30, 5);
  screen.feed(evo.bytes());
  EXPECT_EQ(screen.lines().size(), 4U);
  EXPECT_FALSE(screen.wrapped());
}

TEST(Watch, ASCIIWhereTheLocaleIsNotUtf8) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  Terminal terminal;
  terminal.environment["LC_ALL"] = "C";
  OnTerminal evo({"watch", scratch / "run"}, terminal);
  ASSERT_TRUE(evo.read_to_the_end());
  for (const char c : evo.bytes()) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Watch, MistakesHaveTheirExitCodes) {
  const Scratch scratch;
  EXPECT_EQ(run_evo({"watch"}).exit_code, 2);
  EXPECT_EQ(run_evo({"watch", scratch / "nowhere"}).exit_code, 2);
  std::filesystem::create_directories(scratch / "bad");
  std::ofstream(scratch / "bad/ledger.sqlite") << std::string(4096, 'x');
  EXPECT_EQ(run_evo({"watch", scratch / "bad"}).exit_code, 4);
  EXPECT_EQ(run_evo({"run", "x.yaml", "--port", "0"}).exit_code, 2) << "--port is of --serve";
}

/// The panel's rows from values alone.
engine::TrialRecord trial_of(std::int64_t index, model::Status status, double microseconds) {
  engine::TrialRecord trial;
  trial.index = index;
  trial.status = status;
  trial.elapsed_seconds = static_cast<double>(index);
  if (microseconds > 0)
    trial.latencies = {{"w", 1, {model::LatencyKind::modelled, microseconds, {}, 0, "m"}}};
  return trial;
}

TEST(Panel, TheSparklineIsTheBestSoFarInLogarithms) {
  terminal::PanelRun run("r", {});
  run.add(trial_of(0, model::Status::proven, 128));
  run.add(trial_of(1, model::Status::correct_slower, 200));
  run.add(trial_of(2, model::Status::better, 8));
  run.add(trial_of(3, model::Status::better, 1));
  terminal::PanelRun::Moment now;
  now.progress.trials = now.progress.planned_trials = 4;
  now.progress.baseline = trial_of(0, model::Status::proven, 128);
  now.progress.champion = trial_of(3, model::Status::better, 1);
  const auto rows = run.rows(now, 60, false);
  EXPECT_EQ(rows.at(3).label, "speedup");
  EXPECT_EQ(rows.at(3).text, "128.00x __+@") << "0, 0, 4 and 7 of 7 halvings";
}

TEST(Panel, TimeLeftIsThatOfTheBudgetThatEndsFirst) {
  model::Budget budget;
  budget.wall_seconds = 1000;
  budget.device_seconds = 60;
  budget.cost = 5;
  terminal::PanelRun run("r", budget);
  for (int i = 0; i <= 100; ++i) run.add(trial_of(i, model::Status::wrong, 0));  // one a second
  EXPECT_DOUBLE_EQ(run.rate(), 1);
  terminal::PanelRun::Moment now;
  now.progress.trials = 101;
  now.progress.planned_trials = 1101;
  now.progress.elapsed_seconds = 100;
  now.progress.device_seconds = 50;
  now.progress.cost = 1;
  EXPECT_EQ(run.rows(now, 100, false).back().text,
            "0:20 (budget: device time), device 10.0 of 60 s, cost 4.00 of 5.00");
  now.progress.device_seconds = 1;
  EXPECT_TRUE(run.rows(now, 100, false).back().text.starts_with("6:40 (budget: cost)"));
  now.progress.cost = 0.001;
  now.idle_seconds = 5;
  EXPECT_TRUE(run.rows(now, 100, false).back().text.starts_with("14:55 (budget: wall time)"));
  now.progress.planned_trials = 201;
  EXPECT_TRUE(run.rows(now, 100, false).back().text.starts_with("1:40 (budget: trials)"));
}

TEST(Panel, OneThatIsTooWideLosesGatesNotTheEnds) {
  terminal::PanelRun run("r", {});
  for (int i = 0; i < 12345; ++i) run.add(trial_of(i, model::Status::wrong, 0));
  const std::string wide = run.rows({}, 140, false).at(4).text, narrow = run.rows({}, 62, false).at(4).text;
  EXPECT_EQ(
      wide,
      "12345 new > 12345 legal > 12345 compiled > 12345 fit > 12345 clean > 12345 correct > 12345 timed > "
      "0 better");
  EXPECT_EQ(narrow, "12345 new > 12345 compiled > 12345 correct > 0 better");
}

}  // namespace
}  // namespace evo::cli
