#include "terminal/panel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terminal/text_output.hpp"

namespace evo::terminal {
namespace {

constexpr std::size_t remembered_commits = 101;
constexpr std::size_t bar_columns = 20;
constexpr std::array block_glyphs{"\u2581", "\u2582", "\u2583", "\u2584",
                                  "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::array ascii_glyphs{"_", ".", "-", "=", "+", "*", "#", "@"};

std::string bar(double share, bool blocks) {
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(bar_columns));
  std::string text;
  for (std::size_t i = 0; i < bar_columns; ++i)
    text += i < full ? (blocks ? "\u2588" : "#") : (blocks ? "\u2591" : ".");
  return text;
}

std::string failures_text(const report::Funnel& funnel) {
  std::vector<std::pair<std::int64_t, std::string>> list;
  for (const report::Funnel::Stage& stage : funnel.stages()) {
    if (stage.name == "proposed" || stage.name == "better") continue;
    for (const auto& [how, count] : stage.failed)
      list.emplace_back(count, how.second.empty() ? how.first : how.second);
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, reason] : list)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
  return text;
}

/// What each gate let through; where that is too wide, without the gates that fewest people ask for.
std::string funnel_text(const report::Funnel& funnel, std::size_t columns) {
  struct Word {
    std::string_view stage, text;
  };
  std::vector<Word> words{{"proposed", "new"},  {"legality", "legal"}, {"compile", "compiled"},
                          {"resources", "fit"}, {"sanitize", "clean"}, {"correctness", "correct"},
                          {"latency", "timed"}, {"profile", "kept"},   {"better", "better"}};
  std::string text;
  for (const std::string_view next : {"legality", "latency", "resources", "sanitize", "compile", ""}) {
    text.clear();
    for (const Word& word : words) {
      for (const report::Funnel::Stage& stage : funnel.stages())
        if (stage.name == word.stage)
          text += fmt::format("{}{} {}", text.empty() ? "" : " > ", stage.passed, word.text);
    }
    if (text.size() <= columns) break;
    std::erase_if(words, [&](const Word& word) { return word.stage == next; });
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c >= 0x20 && c < 0x7f ? c : '?';
  return safe;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e12));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void PanelRun::add(const engine::TrialRecord& trial) {
  funnel_.add(trial);
  ++trials_;
  commits_.push_back(trial.elapsed_seconds);
  if (commits_.size() > remembered_commits) commits_.pop_front();
  if (!trial.correct() || (trial.status != model::Status::better && !best_.empty())) return;
  if (const auto latency = trial.latency()) best_.push_back({trials_, latency->microseconds});
}

double PanelRun::rate() const {
  if (commits_.size() < 2 || !(commits_.back() > commits_.front())) return 0;
  return static_cast<double>(commits_.size() - 1) / (commits_.back() - commits_.front());
}

/// The speed-up of the best so far, over trials; its height is the share of the whole gain in logarithms.
std::string PanelRun::sparkline(std::size_t columns, bool blocks) const {
  if (best_.empty() || columns == 0) return {};
  const double first = best_.front().microseconds;
  double fastest = first;
  for (const Step& step : best_) fastest = std::min(fastest, step.microseconds);
  const double whole = fastest > 0 && first > fastest ? std::log(first / fastest) : 0;
  const std::size_t used = std::min(columns, static_cast<std::size_t>(std::max<std::int64_t>(trials_, 1)));
  std::string text;
  std::size_t at = 0;
  for (std::size_t column = 0; column < used; ++column) {
    const auto until = static_cast<std::int64_t>(column + 1) * trials_ / static_cast<std::int64_t>(used);
    while (at + 1 < best_.size() && best_[at + 1].trial <= until) ++at;
    if (best_[at].trial > until) {
      text += ' ';
      continue;
    }
    const double height = whole > 0 ? std::log(first / best_[at].microseconds) / whole : 0;
    const auto glyph = static_cast<std::size_t>(std::lround(std::clamp(height, 0.0, 1.0) * 7));
    text += blocks ? block_glyphs.at(glyph) : ascii_glyphs.at(glyph);
  }
  return text;
}

/// What the budgets leave; which of them ends the run first is said with the time.
std::string PanelRun::left_text(const Moment& now) const {
  const engine::CampaignProgress& progress = now.progress;
  const double elapsed = progress.elapsed_seconds + now.idle_seconds;
  std::string text, by;
  double left = 0;
  const auto take = [&](double seconds, const char* budget) {
    if (!by.empty() && seconds >= left) return;
    left = std::max(seconds, 0.0);
    by = budget;
  };
  if (const double per_second = rate(); per_second > 0)
    take(static_cast<double>(progress.planned_trials - progress.trials) / per_second, "trials");
  if (budget_.wall_seconds > 0) take(budget_.wall_seconds - elapsed, "wall time");
  if (progress.device_seconds > 0 && progress.elapsed_seconds > 0) {
    const double share = progress.device_seconds / progress.elapsed_seconds;
    if (budget_.device_seconds > 0)
      take((budget_.device_seconds - progress.device_seconds) / share, "device time");
    if (budget_.cost > 0 && progress.cost > 0)
      take((budget_.cost - progress.cost) / (progress.cost / progress.elapsed_seconds), "cost");
  }
  text = by.empty() ? "-" : fmt::format("{} (budget: {})", clock_text(left), by);
  if (budget_.device_seconds > 0)
    text += fmt::format(", device {:.1f} of {:.0f} s", budget_.device_seconds - progress.device_seconds,
                        budget_.device_seconds);
  if (budget_.cost > 0)
    text += fmt::format(", cost {:.2f} of {:.2f}", budget_.cost - progress.cost, budget_.cost);
  return text;
}

std::vector<PanelRow> PanelRun::rows(const Moment& now, std::size_t width, bool blocks) const {
  const engine::CampaignProgress& p = now.progress;
  const std::size_t columns = std::max<std::size_t>(width, 40) - label_width;
  std::vector<PanelRow> rows;
  const auto add = [&](const char* label, std::string text) { rows.push_back({label, std::move(text)}); };
  const auto plain = [&](std::string text) { return printable(text).substr(0, columns); };

  add("run", plain(fmt::format("{}{}", title_, device_.empty() ? "" : ", " + device_)));
  const double share =
      p.planned_trials > 0 ? static_cast<double>(p.trials) / static_cast<double>(p.planned_trials) : 0;
  add("gen", fmt::format("{}/{} {} {}", p.trials > 0 ? p.generation + 1 : 0, p.generations,
                         bar(share, blocks), fmt::format("trial {}/{}", p.trials, p.planned_trials)));
  const auto best = p.champion ? p.champion->latency() : std::nullopt;
  const auto base = p.baseline ? p.baseline->latency() : std::nullopt;
  if (!best) {
    add("best", p.trials > 0 ? "nothing is correct yet" : "proving the baseline");
  } else {
    add("best", plain(fmt::format("{}{}", latency_text(*best),
                                  best->kind == model::LatencyKind::modelled ? "" : " measured")));
  }
  if (best && base && best->microseconds > 0) {
    const std::string speedup = fmt::format("{:.2f}x ", base->microseconds / best->microseconds);
    add("speedup", speedup + sparkline(columns - std::min(columns, speedup.size()), blocks));
  } else {
    add("speedup", "-");
  }
  add("gates", plain(funnel_text(funnel_, columns)));
  const std::string failures = failures_text(funnel_);
  add("failed", failures.empty() ? "none" : plain(failures));
  const double per_second = rate();
  add("rate",
      plain(fmt::format("{} trials/s, {} elapsed, {:.1f} s on the device",
                        per_second > 0 ? fmt::format("{:.{}f}", per_second, per_second < 10 ? 2 : 0) : "-",
                        clock_text(p.elapsed_seconds + now.idle_seconds), p.device_seconds)));
  add("left", plain(now.state == "running" ? left_text(now) : now.state));
  return rows;
}

}  // namespace evo::terminal
