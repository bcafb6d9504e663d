#include "terminal/model_output.hpp"

#include <fmt/format.h>

#include "report/model_counts.hpp"

namespace evo::terminal {

std::string models_text(const std::vector<engine::EventRecord>& events,
                        std::span<const engine::TrialRecord> trials) {
  std::string text;
  for (const auto& [name, counts] : report::model_counts(events, trials)) {
    text += fmt::format(
        "model {}: {} requests, {} + {} tokens; {} replies used, {} variants correct, {} better\n", name,
        counts.requests, counts.input_tokens, counts.output_tokens, counts.accepted, counts.correct,
        counts.better);
    std::string reasons;
    for (const auto& [reason, count] : counts.refused)
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, count);
    if (!reasons.empty()) text += fmt::format("  not used: {}\n", reasons);
    if (counts.compared > 0) {
      text += fmt::format("  predictions: off by a factor of {:.2f} on average, over {} measured\n",
                          counts.off_by(), counts.compared);
    }
  }
  return text;
}

}  // namespace evo::terminal
