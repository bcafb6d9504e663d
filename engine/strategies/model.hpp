// Proposals of language models, beside those of another strategy.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/exchanges.hpp"
#include "engine/strategies/building_blocks.hpp"
#include "engine/strategies/model_prompt.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// The share of proposals that models have is their weight over the sum of all weights. A slot whose model
/// gives nothing that can be used is the inner strategy's, as if no model had been asked.
class ModelStrategy final : public Strategy {
 public:
  /// `space` and `exchanges` are kept by reference.
  ModelStrategy(const model::SearchSettings& settings, const SearchSpace& space, Exchanges& exchanges,
                std::unique_ptr<Strategy> inner);
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] std::string why_off(const model::LanguageModel& model, std::int64_t proposal, int turn) const;
  [[nodiscard]] const TrialRecord* to_mend(const History& history, const model::LanguageModel& model,
                                           std::int64_t proposal) const;
  [[nodiscard]] std::optional<Proposal> converse(const History& history, const SlotId& slot,
                                                 const model::LanguageModel& model, const ModelTask& task,
                                                 const model::Insights* insights) const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  Exchanges& exchanges_;
  std::unique_ptr<Strategy> inner_;
  double share_ = 0, sum_ = 0;
};

}  // namespace evo::engine
