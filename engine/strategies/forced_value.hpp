// Forced exploration: proposals that must take a rare value, or avoid a dominant one, whatever the model
// says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/strategies/boosted_trees.hpp"
#include "engine/strategies/breeding.hpp"
#include "model/random.hpp"

namespace evo::engine {

/// A value, by its position, of a gene, by its own: what a code has to have, or must not have.
struct ForcedValue {
  std::size_t gene = 0;
  std::uint16_t value = 0;
  bool avoided = false;

  [[nodiscard]] bool in(const Code& code) const { return (code[gene] == value) != avoided; }
  /// "with BLOCK_N=256, which few had", "without BLOCK_N=128, which most of the fastest have"
  [[nodiscard]] std::string text(const CodedSpace& space) const;
};

/// The rarest in `rows` of a few values of tuning genes that are drawn; nullopt where no tuning gene has two
/// values.
[[nodiscard]] std::optional<ForcedValue> draw_forced_value(const CodedSpace& space,
                                                           std::span<const Observation> rows,
                                                           model::RandomStream& random);

/// A gene, drawn among those in which at least three quarters of `fastest` agree, with that value, to be
/// avoided: the search has settled there, and whatever is good company for another value has had no time to
/// be found. nullopt where they agree in no tuning gene that has another value.
[[nodiscard]] std::optional<ForcedValue> draw_excluded_value(const CodedSpace& space,
                                                             std::span<const Code> fastest,
                                                             model::RandomStream& random);

/// Gives the value to all of `offspring`, and what has to change with it (a step "probe" where they did not
/// have it); drops those where that fails, and those that have a value to be avoided.
void enforce(const CodedSpace& space, const ForcedValue& probe, const mutators::OperatorSettings& settings,
             std::vector<Bred>& offspring, model::RandomStream& random);

}  // namespace evo::engine
