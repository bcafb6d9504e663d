// What language models cost a run and gave it, for a person.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/trial.hpp"

namespace evo::terminal {

/// A line a model: requests, tokens, replies used and refused (by reason), and its predictions against what
/// was measured; empty where no model was asked.
[[nodiscard]] std::string models_text(const std::vector<engine::EventRecord>& events,
                                      std::span<const engine::TrialRecord> trials);

}  // namespace evo::terminal
