// Progress of a run on stderr: one live line on a terminal, plain lines otherwise; and the run's log file.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>

#include "cli/options.hpp"
#include "engine/campaign.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

class Progress final : public engine::CampaignObserver {
 public:
  /// `log_file` gets every trial; `explain` prints why each ended as it did.
  Progress(const CommonOptions& common, const model::Experiment& experiment, const std::string& log_file,
           bool explain);
  ~Progress() override;

  void on_begin(const engine::CampaignProgress& progress) override;
  void on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) override;
  void on_generation(const engine::GenerationRecord& generation,
                     const engine::CampaignProgress& progress) override;
  void on_event(const engine::EventRecord& event) override;

 private:
  void line(const std::string& text);
  void live(const std::string& text);

  CommonOptions common_;
  const model::Experiment& experiment_;
  std::ofstream log_;
  bool explain_ = false;
  bool terminal_ = false;
  bool live_shown_ = false;
  std::int64_t first_trial_ = 0;  ///< committed before this session
  double first_elapsed_ = 0;
};

/// True when `stream` is a terminal that takes cursor movement and NO_COLOR is not set.
[[nodiscard]] bool is_live_terminal(std::FILE* stream);

}  // namespace evo::cli
