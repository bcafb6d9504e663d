// What a language model is told: the task and the launch contract, and as much of what the run knows as its
// preset lets through.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/strategy.hpp"
#include "llm/exchange.hpp"

namespace evo::engine {

/// One request's subject.
struct ModelTask {
  const SearchTemplate* entry = nullptr;
  const TrialRecord* parent = nullptr;
  std::string text;     ///< the parent's, without macros in front
  bool repair = false;  ///< the parent failed: mend it
};

/// Depends on its arguments only. Preset `free`: the task; `insight`: also insights; `full`: also the best
/// variants with their changes, and how trials ended.
[[nodiscard]] std::vector<llm::Message> model_prompt(const model::LanguageModel& model, const ModelTask& task,
                                                     std::span<const TrialRecord> visible,
                                                     const model::Insights* insights);

/// What follows a reply that is no variant.
[[nodiscard]] llm::Message repair_turn(const std::string& reason, const std::string& message);

}  // namespace evo::engine
