// The enabled mutators of a run, by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/strategies/building_blocks.hpp"
#include "engine/strategy.hpp"
#include "mutators/mutator.hpp"

namespace evo::engine {

class OperatorSet {
 public:
  /// `wanted` names the enabled ones; empty = all. Throws model::Exception(invalid_configuration) for a name
  /// that no mutator has.
  OperatorSet(const std::vector<std::string>& wanted, double gene_probability);

  [[nodiscard]] bool enabled(std::string_view name) const { return find(name) != nullptr; }

  /// Applies an operator to parents of one template; nullopt when it is disabled or not applicable.
  [[nodiscard]] std::optional<Proposal> apply(std::string_view name, const SearchTemplate& entry,
                                              std::span<const TrialRecord* const> parents,
                                              model::RandomStream& random,
                                              const model::Insights* insights) const;

 private:
  [[nodiscard]] const mutators::Mutator* find(std::string_view name) const;

  std::vector<std::unique_ptr<mutators::Mutator>> mutators_;
  double gene_probability_;
};

}  // namespace evo::engine
