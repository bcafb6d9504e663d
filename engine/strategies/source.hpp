// Proposals that edit the text of a kernel, beside those of another strategy.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/strategies/building_blocks.hpp"
#include "engine/strategy.hpp"
#include "mutators/source_mutator.hpp"

namespace evo::engine {

/// Weights of operators on the text above 0: the share of proposals that they have of all is theirs over the
/// sum of all weights of `search.mutators`; all of them where the space is one genome. The other proposals
/// are the inner strategy's, which draws from streams of its own, so that they are what they would be without
/// edits but for the history.
class SourceStrategy final : public Strategy {
 public:
  /// `space` is kept by reference. Throws as make_strategy() does.
  SourceStrategy(const model::SearchSettings& settings, const SearchSpace& space,
                 std::unique_ptr<Strategy> inner);
  ~SourceStrategy() override;
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] static TrialRecord baseline_of(const SearchSpace& space);

  struct Read;  ///< a text, and what each operator can do with it
  /// Who edits are made of: by rank, or from the cells of an archive, all alike.
  struct Pool {
    std::vector<Candidate> list;
    int rounds = 1;  ///< of a tournament
  };

  /// One to a few edits of the baseline, drawn: what strategy `random` makes of the text.
  [[nodiscard]] std::optional<Proposal> blind(const History& history, model::RandomStream& random) const;
  /// Every change that an operator can make of the text with these genes.
  [[nodiscard]] const std::vector<mutators::Change>& changes_of(const SearchTemplate& entry,
                                                                const model::Genome& genome,
                                                                std::string_view operation) const;
  /// The run's last slots take edits away, champion first.
  [[nodiscard]] bool minimises(const SlotId& slot) const;
  /// The text that a trial's edits are made of.
  [[nodiscard]] const mutators::EditedSource& text_of(const TrialRecord& trial) const;
  [[nodiscard]] const Read& read(const SearchTemplate& entry, const model::Genome& genome) const;
  [[nodiscard]] std::optional<Proposal> edit(const History& history, const Pool& parents,
                                             std::string_view operation, model::RandomStream& random) const;
  [[nodiscard]] std::optional<Proposal> change(const History& history, const TrialRecord& parent,
                                               std::string_view operation, model::RandomStream& random) const;
  [[nodiscard]] std::optional<Proposal> repair(const History& history, model::RandomStream& random) const;
  /// A child of a variant that came near to correct.
  [[nodiscard]] std::optional<Proposal> approach(const History& history, model::RandomStream& random) const;
  [[nodiscard]] std::optional<Proposal> cross(const History& history, const Pool& parents,
                                              model::RandomStream& random) const;
  [[nodiscard]] std::optional<Proposal> step(const History& history, const TrialRecord& parent,
                                             model::RandomStream& random) const;
  [[nodiscard]] std::optional<Proposal> remove(const History& history, const TrialRecord& best) const;
  /// A proposal of the parent's genes with these edits, unless it was proposed before or an edit does not
  /// apply.
  [[nodiscard]] std::optional<Proposal> with(const History& history, const TrialRecord& parent,
                                             const source::Edits& edits, std::string_view operation,
                                             std::string rationale) const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  std::unique_ptr<Strategy> inner_;
  std::vector<std::pair<std::string, double>> operators_;
  double share_ = 0;
  std::vector<std::unique_ptr<mutators::SourceMutator>> mutators_;
  TrialRecord baseline_;
  /// Texts that were read; asking twice gives the same.
  mutable std::map<std::string, std::unique_ptr<Read>> known_;
};

/// One of some operators, drawn by their weights.
[[nodiscard]] const std::string& drawn_operator(const std::vector<std::pair<std::string, double>>& operators,
                                                model::RandomStream& random);

/// True if the settings have an operator on the text, or a language model.
[[nodiscard]] bool edits_source(const model::SearchSettings& settings);

}  // namespace evo::engine
