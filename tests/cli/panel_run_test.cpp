// The panel and the page of a run that goes on: whole runs with the real compiler, on a terminal.
#include <regex>

#include "tests/cli/campaign.hpp"
#include "tests/cli/screen.hpp"

namespace evo::cli {
namespace {

using testing::OnTerminal;
using testing::Scratch;
using testing::Screen;

std::vector<std::string> shown_run(const std::string& folder, const std::vector<std::string>& extra) {
  std::vector<std::string> arguments{"run",
                                     testing::source_path("examples/sgemm/experiment.yaml"),
                                     "--json",
                                     "--run-dir",
                                     folder,
                                     "--input-seed",
                                     "11",
                                     "--set",
                                     "search.population=5",
                                     "--set",
                                     "search.generations=2",
                                     "--set",
                                     "budget.trials=10"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return arguments;
}

TEST(PanelOfARun, ShowsItAtSixtyColumnsAndLeavesTheTerminalAsItWas) {
  SKIP_WITHOUT_NVRTC();
  const Scratch scratch;
  OnTerminal evo(shown_run(scratch / "run", {"--serve", "--port", "0"}), {.columns = 60, .rows = 40});
  const termios before = evo.modes();
  ASSERT_TRUE(evo.read_until(
      [](const std::string& text) { return std::regex_search(text, std::regex("trial [1-9]/")); }));
  // Its page, while it runs.
  std::smatch address;
  const std::string so_far = evo.bytes();
  ASSERT_TRUE(std::regex_search(so_far, address, std::regex("http://127\\.0\\.0\\.1:[0-9]+/"))) << so_far;
  const std::string get = "curl -s --max-time 20 " + address.str() + "data.json -o " +
                          testing::shell_quote(scratch / "data.json");
  ASSERT_EQ(std::system(get.c_str()), 0);
  ASSERT_TRUE(evo.read_to_the_end(300));
  EXPECT_EQ(evo.exit_code(), 0);
  EXPECT_NE(std::system(get.c_str()), 0) << "it ends with the run";
  const auto data = testing::parse_object(testing::read_file(scratch / "data.json"));
  EXPECT_EQ(data.at("runs").at(0).at("state").as_string(), "running");

  const termios after = evo.modes();
  EXPECT_EQ(before.c_lflag, after.c_lflag);
  EXPECT_EQ(before.c_oflag, after.c_oflag);
  // What follows the panel is the document, which is wider than the terminal.
  const std::string panel = evo.bytes().substr(0, evo.bytes().find("{\"run\""));
  Screen screen(60, 40);
  screen.feed(panel);
  EXPECT_EQ(screen.count("gen"), 1U);
  EXPECT_EQ(screen.cursor_column(), 0U);
  EXPECT_EQ(screen.unknown(), "");
  EXPECT_NE(screen.row("gen").find("trial 10/10"), std::string::npos) << screen.row("gen");
  EXPECT_EQ(screen.row("left"), "done");
}

TEST(PanelOfARun, CtrlCEndsItBelowThePanel) {
  SKIP_WITHOUT_NVRTC();
  const Scratch scratch;
  OnTerminal evo(shown_run(scratch / "run", {"--set", "budget.trials=400", "--set", "search.generations=80"}),
                 {});
  ASSERT_TRUE(evo.read_until(
      [](const std::string& text) { return std::regex_search(text, std::regex("trial [1-9][0-9]*/")); }));
  evo.press_ctrl_c();
  ASSERT_TRUE(evo.read_to_the_end(120));
  EXPECT_EQ(evo.exit_code(), 130);
  Screen screen(80, 200);
  screen.feed(evo.bytes().substr(0, evo.bytes().find("{\"run\"")));
  EXPECT_EQ(screen.count("gen"), 1U);
  EXPECT_EQ(screen.row("left"), "interrupted");
  EXPECT_EQ(screen.cursor_column(), 0U);
  std::size_t told = 0;
  for (const std::string& line : screen.lines()) told += line.starts_with("evo: stopping") ? 1 : 0;
  EXPECT_EQ(told, 1U) << "above the panel";

  // And goes on: the panel counts what was there before.
  OnTerminal again({"resume", scratch / "run", "--plain"}, {});
  ASSERT_TRUE(
      again.read_until([](const std::string& text) { return text.find("continuing after") != text.npos; }));
  EXPECT_EQ(again.bytes().find("\x1b["), std::string::npos) << "--plain";
}

TEST(PanelOfARun, AnErrorStandsBelowThePanel) {
  SKIP_WITHOUT_NVRTC();
  const Scratch scratch;
  OnTerminal evo(shown_run(scratch / "run", {"--set", "budget.trials=400", "--set", "search.generations=80"}),
                 {});
  ASSERT_TRUE(evo.read_until(
      [](const std::string& text) { return std::regex_search(text, std::regex("trial [1-9][0-9]*/")); }));
  // Another process takes the ledger for good: the next commit fails.
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((scratch / "run/ledger.sqlite").c_str(), &database), SQLITE_OK);
  sqlite3_busy_timeout(database, 10000);
  EXPECT_EQ(sqlite3_exec(database, "DROP TABLE trials", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  ASSERT_TRUE(evo.read_to_the_end(120));
  EXPECT_EQ(evo.exit_code(), 4) << evo.bytes();
  Screen screen(80, 100);
  screen.feed(evo.bytes());
  EXPECT_EQ(screen.count("gen"), 1U);
  EXPECT_EQ(screen.row("left"), "ended early");
  EXPECT_EQ(screen.cursor_column(), 0U);
}

}  // namespace
}  // namespace evo::cli
