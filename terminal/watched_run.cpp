#include "terminal/watched_run.hpp"

#include <utility>

#include <fmt/format.h>

namespace evo::terminal {
namespace {

std::string standing_of(const report::RunView& view) {
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

}  // namespace

WatchedRun::WatchedRun(const std::string& path)
    : reader_(path, {.remembered = &remembered_,
                     .most = 0,
                     .see = [this](const report::RunView& view, const engine::TrialRecord& trial) {
                       see(view, trial);
                     }}) {}

const report::RunView& WatchedRun::read() {
  const report::RunView& view = reader_.read();
  if (!run_) run_.emplace(view.name, view.experiment.budget);
  take(view);
  return view;
}

std::vector<PanelRow> WatchedRun::rows(double idle_seconds, std::size_t width, bool blocks) const {
  PanelRun::Moment now = moment_;
  now.idle_seconds = idle_seconds;
  return run_->rows(now, width, blocks);
}

void WatchedRun::see(const report::RunView& view, const engine::TrialRecord& trial) {
  if (!run_) run_.emplace(view.name, view.experiment.budget);
  if (std::exchange(round_, reader_.rounds()) != reader_.rounds()) seen_ = 0;
  if (++seen_ > run_->trials()) run_->add(trial);
}

void WatchedRun::take(const report::RunView& view) {
  if (view.ledger.meta) run_->set_device(view.ledger.meta->device_name);
  moment_.progress = view.result.progress;
  moment_.state = standing_of(view);
  running_ = view.state == report::RunState::running;
}

std::string WatchedLines::next(const report::RunView& view) {
  std::string text;
  const auto& generations = view.ledger.generations;
  for (; shown_ < generations.size(); ++shown_) {
    const engine::GenerationRecord& one = generations[shown_];
    text += fmt::format("generation {}: {} trials, {}\n", one.generation, one.trials,
                        one.best_variant.empty()
                            ? "nothing is correct yet"
                            : fmt::format("best {:.3f} us ({})", one.best_us, printable(one.best_variant)));
  }
  if (view.state != report::RunState::running)
    text += fmt::format("{}, {} trials\n", standing_of(view), view.all.count);
  return text;
}

}  // namespace evo::terminal
