#include "cli/progress.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/text_output.hpp"

namespace evo::cli {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string trial_text(const engine::TrialRecord& trial) {
  std::string text = fmt::format("trial {} gen {} {} {} {}", trial.index, trial.generation, trial.variant,
                                 trial.operator_name, model::name_of(trial.status));
  if (trial.gate) text += fmt::format(" at {}", model::name_of(*trial.gate));
  if (!trial.reason.empty()) text += fmt::format(": {}", trial.reason);
  if (const auto latency = trial.latency()) text += " " + latency_text(*latency);
  return text;
}

}  // namespace

bool is_live_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

Progress::Progress(const CommonOptions& common, const model::Experiment& experiment,
                   const std::string& log_file, bool explain)
    : common_(common),
      experiment_(experiment),
      log_(log_file, std::ios::app),
      explain_(explain),
      terminal_(is_live_terminal(stderr)) {}

Progress::~Progress() {
  if (live_shown_) fmt::print(stderr, "\n");
}

void Progress::line(const std::string& text) {
  if (live_shown_) fmt::print(stderr, "\r\x1b[K");
  live_shown_ = false;
  fmt::print(stderr, "{}\n", text);
}

void Progress::live(const std::string& text) {
  fmt::print(stderr, "\r\x1b[K{}", text.substr(0, terminal_width() - 1));
  std::fflush(stderr);
  live_shown_ = true;
}

void Progress::on_begin(const engine::CampaignProgress& progress) {
  first_trial_ = progress.trials;
  first_elapsed_ = progress.elapsed_seconds;
  if (common_.quiet) return;
  line(progress.trials > 0
           ? fmt::format("continuing after {} of {} trials", progress.trials, progress.planned_trials)
           : fmt::format("proving the baseline, then {} trials", progress.planned_trials - 1));
}

void Progress::on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) {
  log_ << trial_text(trial) << '\n';
  if (!trial.evidence.empty()) log_ << evidence_text(trial.evidence);
  log_.flush();
  if (common_.quiet) return;
  if (trial.index == 0 && trial.latency()) line("baseline proven: " + latency_text(*trial.latency()));
  if (explain_ || common_.verbose > 0) {
    line(trial_text(trial));
    if (explain_) {
      if (!trial.rationale.empty()) line("  because " + trial.rationale);
      if (!trial.evidence.empty()) line(evidence_text(trial.evidence));
    }
  }
  if (!terminal_) return;
  const double seconds = progress.elapsed_seconds - first_elapsed_;
  const double rate = seconds > 0 ? static_cast<double>(progress.trials - first_trial_) / seconds : 0;
  std::string text = fmt::format("gen {}/{}  trial {}/{}", progress.generation + 1, progress.generations,
                                 progress.trials, progress.planned_trials);
  const auto best = progress.champion ? progress.champion->latency() : std::nullopt;
  const auto base = progress.baseline ? progress.baseline->latency() : std::nullopt;
  if (best && base)
    text += fmt::format("  best {}  {:.2f}x", latency_text(*best), base->microseconds / best->microseconds);
  text += fmt::format("  {:.1f} trials/s", rate);
  double left = rate > 0 ? static_cast<double>(progress.planned_trials - progress.trials) / rate : 0;
  const model::Budget& budget = experiment_.budget;
  if (budget.wall_seconds > 0) left = std::min(left, budget.wall_seconds - progress.elapsed_seconds);
  text += fmt::format("  {} left", clock_text(left));
  if (budget.money > 0) text += fmt::format("  {:.2f} money left", budget.money - progress.money);
  live(text);
}

void Progress::on_generation(const engine::GenerationRecord& generation,
                             const engine::CampaignProgress& progress) {
  std::string counts;
  for (const auto& [status, count] : generation.counts)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", status, count);
  const std::string best =
      generation.best_variant.empty()
          ? "nothing is right yet"
          : fmt::format("best {:.3f} us ({})", generation.best_us, generation.best_variant);
  const std::string text =
      fmt::format("generation {}: {}, diversity {:.2f}, money {:.4f}; {}", generation.generation, best,
                  generation.diversity, generation.money, counts);
  log_ << text << '\n';
  if (!common_.quiet) line(text);
  (void)progress;
}

void Progress::on_event(const engine::EventRecord& event) {
  std::string text = event.kind;
  for (const auto& [key, value] : event.details) text += fmt::format(" {}={}", key, value);
  log_ << "event " << text << std::endl;
  if (common_.verbose > 0) line("event " + text);
}

}  // namespace evo::cli
