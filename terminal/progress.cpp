#include "terminal/progress.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "engine/counter_records.hpp"
#include "engine/exchanges.hpp"
#include "engine/screen.hpp"
#include "terminal/text_output.hpp"

namespace evo::terminal {
namespace {

/// How often the panel is drawn: trials may end faster than anybody reads.
constexpr std::chrono::milliseconds between_draws{250};

std::string trial_text(const engine::TrialRecord& trial) {
  std::string text = fmt::format("trial {} gen {} {} {} {}", trial.index, trial.generation, trial.variant,
                                 trial.operator_name, model::name_of(trial.status));
  if (trial.gate) text += fmt::format(" at {}", model::name_of(*trial.gate));
  if (!trial.reason.empty()) text += fmt::format(": {}", trial.reason);
  if (const auto latency = trial.latency()) text += " " + latency_text(*latency);
  return text;
}

}  // namespace

Progress::Progress(const CommonOptions& common, const model::Experiment& experiment, const Settings& settings)
    : common_(common),
      log_(settings.log, std::ios::app),
      explain_(settings.explain),
      run_(std::filesystem::path(settings.run).filename().string(), experiment.budget),
      last_commit_(std::chrono::steady_clock::now()),
      waiting_(common.quiet ? Waiting::Say() : [this](const std::string& text) { line(text); }) {
  if (!common.quiet && !settings.plain && is_live_terminal(stderr))
    panel_ = std::make_shared<LivePanel>(stderr);
}

Progress::~Progress() {
  finish("ended early");
}

void Progress::know(const std::vector<engine::TrialRecord>& trials) {
  const std::lock_guard lock(mutex_);
  for (const engine::TrialRecord& trial : trials) run_.add(trial);
}

void Progress::set_device(const std::string& name) {
  const std::lock_guard lock(mutex_);
  run_.set_device(name);
}

void Progress::line(const std::string& text) {
  waiting_.heard();
  if (panel_)
    panel_->line(text);
  else
    fmt::print(stderr, "{}\n", text);
}

void Progress::draw() {
  std::vector<PanelRow> rows;
  {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> idle = std::chrono::steady_clock::now() - last_commit_;
    moment_.idle_seconds = moment_.state == "running" ? idle.count() : 0;
    rows = run_.rows(moment_, terminal_width(stderr) - 1, shows_blocks());
  }
  panel_->draw(rows);
}

void Progress::start_clock() {
  draw();
  clock_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(between_draws);
      draw();
    }
  });
}

void Progress::finish(const std::string& state) {
  waiting_.on("");
  if (!panel_ || !clock_.joinable()) return;
  clock_.request_stop();
  clock_.join();
  {
    const std::lock_guard lock(mutex_);
    moment_.state = state;
  }
  draw();
  panel_->end();
}

void Progress::on_begin(const engine::CampaignProgress& progress) {
  if (common_.quiet) return;
  line(progress.trials > 0
           ? fmt::format("continuing after {} of {} trials", progress.trials, progress.planned_trials)
           : fmt::format("proving the baseline, then {} trials", progress.planned_trials - 1));
  waiting_.on(panel_ ? ""
              : progress.trials > 0
                  ? fmt::format("{} of {} trials done", progress.trials, progress.planned_trials)
                  : "proving the baseline");
  if (!panel_) return;
  {
    const std::lock_guard lock(mutex_);
    moment_.progress = progress;
    last_commit_ = std::chrono::steady_clock::now();
  }
  start_clock();
}

void Progress::on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) {
  log_ << trial_text(trial) << '\n';
  if (!trial.evidence.empty()) log_ << evidence_text(trial.evidence);
  log_.flush();
  if (common_.quiet) return;
  if (panel_) {
    const std::lock_guard lock(mutex_);
    run_.add(trial);
    moment_.progress = progress;
    last_commit_ = std::chrono::steady_clock::now();
  }
  trials_done_ = fmt::format("{} of {} trials", progress.trials, progress.planned_trials);
  if (!panel_) waiting_.on(trials_done_ + " done");
  if (!panel_ && trial.index == 0 && trial.latency())
    line("baseline proven: " + latency_text(*trial.latency()));
  if (explain_ || common_.verbose > 0) {
    line(trial_text(trial));
    if (explain_) {
      if (!trial.rationale.empty()) line("  because " + trial.rationale);
      if (!trial.evidence.empty()) line(evidence_text(trial.evidence));
    }
  }
}

void Progress::on_generation(const engine::GenerationRecord& generation,
                             const engine::CampaignProgress& progress) {
  std::string counts;
  for (const auto& [status, count] : generation.counts)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", status, count);
  const std::string best =
      generation.best_variant.empty()
          ? "nothing is correct yet"
          : fmt::format("best {:.3f} us ({})", generation.best_us, generation.best_variant);
  const std::string text =
      fmt::format("generation {}: {}, diversity {:.2f}, cost {:.4f}; {}", generation.generation, best,
                  generation.diversity, generation.cost, counts);
  log_ << text << '\n';
  // The panel says the same.
  if (!common_.quiet && (!panel_ || common_.verbose > 0)) line(text);
  (void)progress;
}

void Progress::on_stage(const std::string& what) {
  log_ << "stage " << what << std::endl;
  if (common_.quiet) return;
  if (panel_) {
    const std::lock_guard lock(mutex_);
    moment_.state = what;
    return;
  }
  waiting_.on(trials_done_.empty() ? what : fmt::format("{}; {}", trials_done_, what));
}

void Progress::on_event(const engine::EventRecord& event) {
  std::string text = event.kind;
  for (const auto& [key, value] : event.details) {
    // Whole pools: the ledger keeps them, a log has no place for them.
    if (event.kind == engine::event_kinds::screened && key == "candidates") continue;
    if (event.kind == engine::counted_event && key == "kernels") continue;
    text += fmt::format(" {}={}", key, value);
  }
  log_ << "event " << text << std::endl;
  if (common_.verbose > 0) line("event " + text);
  const auto detail = [&](const char* key) {
    const auto found = event.details.find(key);
    return found == event.details.end() ? std::string() : found->second;
  };
  if (event.kind == engine::event_kinds::model_off && !common_.quiet) {
    line(fmt::format("note: the model {} is asked no more ({}): the other operators go on", detail("model"),
                     detail("why")));
  }
}

}  // namespace evo::terminal
