// Progress of a run on stderr: one live panel on a terminal, plain lines otherwise; and the run's log file.
#pragma once

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/campaign.hpp"
#include "model/experiment.hpp"
#include "terminal/common_options.hpp"
#include "terminal/live_panel.hpp"
#include "terminal/panel.hpp"
#include "terminal/waiting.hpp"

namespace evo::terminal {

class Progress final : public engine::CampaignObserver {
 public:
  struct Settings {
    std::string run;       ///< folder, as the user knows it
    std::string log;       ///< file that gets every trial
    bool explain = false;  ///< print why each trial ended as it did
    bool plain = false;    ///< lines also on a terminal
  };
  Progress(const CommonOptions& common, const model::Experiment& experiment, const Settings& settings);
  ~Progress() override;

  /// Trials of earlier sessions; before the campaign begins.
  void know(const std::vector<engine::TrialRecord>& trials);
  void set_device(const std::string& name);
  /// The panel, for those who write above it from another thread; null where there is none.
  [[nodiscard]] std::shared_ptr<LivePanel> panel() const { return panel_; }
  /// A line on stderr, above the panel if there is one.
  void line(const std::string& text);
  /// What takes time before the trials and behind them; told where it takes long and no panel shows it.
  void phase(const std::string& what) { waiting_.on(what); }
  /// No more is drawn: what is written from here on stands below. `state`: how it ended.
  void finish(const std::string& state);

  void on_begin(const engine::CampaignProgress& progress) override;
  void on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) override;
  void on_generation(const engine::GenerationRecord& generation,
                     const engine::CampaignProgress& progress) override;
  void on_event(const engine::EventRecord& event) override;
  void on_stage(const std::string& what) override;

 private:
  void start_clock();
  void draw();

  CommonOptions common_;
  std::ofstream log_;
  bool explain_ = false;

  std::shared_ptr<LivePanel> panel_;
  std::mutex mutex_;  ///< of what follows
  PanelRun run_;
  PanelRun::Moment moment_;
  std::chrono::steady_clock::time_point last_commit_;
  std::string trials_done_;  ///< "409 of 1280 trials"
  Waiting waiting_;
  std::jthread clock_;
};

}  // namespace evo::terminal
