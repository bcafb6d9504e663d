// evo watch RUN: the live panel of a run that another process makes, until it ends. Reads only.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/run_reader.hpp"
#include "report/snapshot.hpp"
#include "terminal/live_panel.hpp"
#include "terminal/panel.hpp"

namespace evo::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_panels{250};

std::string state_of(const report::RunView& view) {
  switch (view.state) {
    case report::RunState::running:
      return "running";
    case report::RunState::stopped:
      return "stopped: evo resume continues it";
    case report::RunState::finished:
      return std::string(engine::name_of(view.result.status));
  }
  return "?";
}

double age_of(std::filesystem::file_time_type written) {
  const std::chrono::duration<double> age = std::filesystem::file_time_type::clock::now() - written;
  return std::max(0.0, age.count());
}

/// What was read of the run last, and what the panel knows of it.
struct Watched {
  explicit Watched(const std::string& path)
      : reader(path, {.remembered = &remembered,
                      .most = 0,
                      .see = [this](const report::RunView& view, const engine::TrialRecord& trial) {
                        see(view, trial);
                      }}) {}
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// Reads the run again; what the panel has of its trials is not taken in twice.
  const report::RunView& read() {
    const report::RunView& view = reader.read();
    if (!run) run.emplace(view.name, view.experiment.budget);
    take(view);
    return view;
  }

  void see(const report::RunView& view, const engine::TrialRecord& trial) {
    if (!run) run.emplace(view.name, view.experiment.budget);
    if (std::exchange(round, reader.rounds()) != reader.rounds()) seen = 0;
    if (++seen > run->trials()) run->add(trial);
  }

  void take(const report::RunView& view) {
    if (view.ledger.meta) run->set_device(view.ledger.meta->device_name);
    moment.progress = view.result.progress;
    moment.state = state_of(view);
    running = view.state == report::RunState::running;
  }

  std::optional<terminal::PanelRun> run;
  terminal::PanelRun::Moment moment;
  bool running = false;
  std::int64_t seen = 0, round = 0;  ///< trials of the reader's round
  report::Remembered remembered;
  report::RunReader reader;
};

/// A line for each generation that is new, and one for the end.
class Lines {
 public:
  void show(const report::RunView& view) {
    const auto& generations = view.ledger.generations;
    for (; shown_ < generations.size(); ++shown_) {
      const engine::GenerationRecord& one = generations[shown_];
      fmt::print("generation {}: {} trials, {}\n", one.generation, one.trials,
                 one.best_variant.empty() ? "nothing is correct yet"
                                          : fmt::format("best {:.3f} us ({})", one.best_us,
                                                        terminal::printable(one.best_variant)));
    }
    if (view.state != report::RunState::running)
      fmt::print("{}, {} trials\n", state_of(view), view.all.count);
    std::fflush(stdout);
  }

 private:
  std::size_t shown_ = 0;
};

}  // namespace

int watch_command(const Options& options) {
  const std::vector<std::string> runs{options.watch.run};
  const bool live = !options.watch.plain && terminal::is_live_terminal(stdout);
  terminal::LivePanel panel(stdout);
  Lines lines;

  auto written = report::last_written(runs);
  Watched watched(runs.front());
  const report::RunView& first = watched.read();
  if (!live) lines.show(first);
  // The first reading was of the whole run; the next ones are of what is new, and still not the whole time.
  auto begin = steady_clock::now();
  for (;;) {
    const auto next = steady_clock::now() + 3 * (steady_clock::now() - begin);
    do {
      if (live) {
        watched.moment.idle_seconds = watched.running ? age_of(written) : 0;
        panel.draw(watched.run->rows(watched.moment, terminal::terminal_width(stdout) - 1,
                                     terminal::shows_blocks()));
      }
      if (!watched.running) return 0;
      std::this_thread::sleep_for(between_panels);
    } while (steady_clock::now() < next || (report::last_written(runs) == written && report::any_held(runs)));
    written = report::last_written(runs);
    begin = steady_clock::now();
    try {
      const report::RunView& view = watched.read();
      if (!live) lines.show(view);
    } catch (const model::Exception&) {
      // A ledger that cannot be read at this moment can be at the next; one whose run has gone cannot.
      if (!report::any_held(runs)) throw;
    }
  }
}

}  // namespace evo::cli
