// evo watch RUN: the live panel of a run that another process makes, until it ends. Reads only.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/snapshot.hpp"
#include "terminal/live_panel.hpp"
#include "terminal/watched_run.hpp"

namespace evo::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_panels{250};

double age_of(std::filesystem::file_time_type written) {
  const std::chrono::duration<double> age = std::filesystem::file_time_type::clock::now() - written;
  return std::max(0.0, age.count());
}

void show(const std::string& lines) {
  fmt::print("{}", lines);
  std::fflush(stdout);
}

}  // namespace

int watch_command(const Options& options) {
  const std::vector<std::string> runs{options.watch.run};
  const bool live = !options.watch.plain && terminal::is_live_terminal(stdout);
  terminal::LivePanel panel(stdout);
  terminal::WatchedLines lines;

  auto written = report::last_written(runs);
  terminal::WatchedRun watched(runs.front());
  const report::RunView& first = watched.read();
  if (!live) show(lines.next(first));
  // The first reading was of the whole run; the next ones are of what is new, and still not the whole time.
  auto begin = steady_clock::now();
  for (;;) {
    const auto next = steady_clock::now() + 3 * (steady_clock::now() - begin);
    do {
      if (live) {
        panel.draw(watched.rows(watched.running() ? age_of(written) : 0, terminal::terminal_width(stdout) - 1,
                                terminal::shows_blocks()));
      }
      if (!watched.running()) return 0;
      std::this_thread::sleep_for(between_panels);
    } while (steady_clock::now() < next || (report::last_written(runs) == written && report::any_held(runs)));
    written = report::last_written(runs);
    begin = steady_clock::now();
    try {
      const report::RunView& view = watched.read();
      if (!live) show(lines.next(view));
    } catch (const model::Exception&) {
      // A ledger that cannot be read at this moment can be at the next; one whose run has gone cannot.
      if (!report::any_held(runs)) throw;
    }
  }
}

}  // namespace evo::cli
