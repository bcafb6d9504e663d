// What the strategies share of breeding: the operators of a run (mutators/) over the templates of its space.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/strategies/building_blocks.hpp"
#include "engine/strategy.hpp"
#include "mutators/operator_set.hpp"

namespace evo::engine {

using mutators::Bred;
using mutators::Code;
using mutators::CodedSpace;

/// Trials of one template as operators see them, in the order of the candidates.
struct Parents {
  std::vector<Code> codes;
  std::vector<mutators::Parent> list;  ///< refers to `codes`

  Parents(const CodedSpace& space, std::span<const Candidate> candidates);
  Parents(const Parents&) = delete;
  Parents& operator=(const Parents&) = delete;
};

/// Turns trials into proposals. Immutable.
class Breeding {
 public:
  /// `space` is kept by reference. Throws model::Exception(invalid_configuration) for an unknown operator or
  /// weights that are none.
  Breeding(const model::SearchSettings& settings, const SearchSpace& space);

  [[nodiscard]] const mutators::OperatorSet& operators() const { return operators_; }
  [[nodiscard]] const mutators::OperatorSettings& settings() const { return settings_; }
  /// `name` must be a template of the space.
  [[nodiscard]] const CodedSpace& coded(std::string_view name) const;
  /// What operators are told of the insights on template `name`; nullopt where there are none, or the preset
  /// hides them. `insights` is kept by reference.
  [[nodiscard]] std::optional<mutators::InsightIndex> index_of(const model::Insights* insights,
                                                               std::string_view name) const;

  /// An offspring of candidates[first], all of one template, with a mate that `mate` picks among them.
  /// nullopt when no operator is applicable.
  [[nodiscard]] std::optional<Proposal> offspring(std::span<const Candidate> candidates, std::size_t first,
                                                  const std::function<std::optional<std::size_t>()>& mate,
                                                  SlotStreams& streams,
                                                  const model::Insights* insights) const;

  /// A neighbour of the first of `candidates` that has one which was not proposed before; nullopt when none
  /// has.
  [[nodiscard]] std::optional<Proposal> neighbour(std::span<const Candidate> candidates,
                                                  const History& history, SlotStreams& streams) const;

  /// `bred` as a proposal; `candidates` are those that it was bred from.
  [[nodiscard]] Proposal proposal(std::span<const Candidate> candidates, const Bred& bred,
                                  std::string rationale, std::optional<double> predicted_effect) const;

 private:
  const SearchSpace& space_;
  mutators::OperatorSet operators_;
  mutators::OperatorSettings settings_;
  bool knows_effects_;             ///< the preset lets insights through
  std::vector<CodedSpace> coded_;  ///< in the order of the space's templates
};

}  // namespace evo::engine
