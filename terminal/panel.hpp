// What the panel of a run says: rows of text, from a run's standing. Draws nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "engine/campaign.hpp"
#include "model/experiment.hpp"
#include "report/funnel.hpp"

namespace evo::terminal {

/// A row of the panel: a label of `label_width` columns, and what stands after it.
struct PanelRow {
  std::string label, text;
};
inline constexpr std::size_t label_width = 8;

/// A run as the panel shows it, taken in trial by trial.
class PanelRun {
 public:
  /// `title`: the run folder's name.
  PanelRun(std::string title, model::Budget budget) : title_(std::move(title)), budget_(budget) {}

  void set_device(std::string name) { device_ = std::move(name); }
  /// A trial, in commit order.
  void add(const engine::TrialRecord& trial);

  /// Counts and times; `state`: "running", "finished", ... `idle_seconds`: since the last commit, while it
  /// runs.
  struct Moment {
    engine::CampaignProgress progress;
    std::string state = "running";
    double idle_seconds = 0;
  };
  /// At most `width` columns each (40 at least), control characters of names taken out. `blocks`: the
  /// terminal shows block characters (UTF-8).
  [[nodiscard]] std::vector<PanelRow> rows(const Moment& now, std::size_t width, bool blocks) const;

  [[nodiscard]] const report::Funnel& funnel() const { return funnel_; }
  [[nodiscard]] std::int64_t trials() const { return trials_; }
  /// Trials a second over the last hundred; 0 before there are two.
  [[nodiscard]] double rate() const;

 private:
  struct Step {
    std::int64_t trial = 0;  ///< how many were in when it came
    double microseconds = 0;
  };
  [[nodiscard]] std::string sparkline(std::size_t columns, bool blocks) const;
  [[nodiscard]] std::string left_text(const Moment& now) const;

  std::string title_, device_;
  model::Budget budget_;
  report::Funnel funnel_;
  std::int64_t trials_ = 0;
  std::vector<Step> best_;  ///< each time that the best changed
  std::deque<double> commits_;
};

/// `text` as a terminal may get it whoever wrote it: printable ASCII, '?' for each other byte.
[[nodiscard]] std::string printable(std::string_view text);
/// "1:02:03", "2:03".
[[nodiscard]] std::string clock_text(double seconds);

}  // namespace evo::terminal
