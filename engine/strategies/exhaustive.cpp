#include <algorithm>

#include <fmt/format.h>

#include "engine/strategies/strategies.hpp"

namespace evo::engine {

ExhaustiveStrategy::ExhaustiveStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : space_(space),
      listed_(enumerate(space, static_cast<std::size_t>(std::max(settings.population, 1)) *
                                   static_cast<std::size_t>(std::max(settings.generations, 1)))) {}

Proposal ExhaustiveStrategy::ask(const History&, const SlotId& slot, const model::Insights*) const {
  const auto index = static_cast<std::size_t>(slot.index);
  // Beyond the last genome there is nothing new; a campaign ends before it asks.
  if (index == 0 || index >= listed_.size()) return baseline_proposal(space_);
  const Listed& next = listed_[index];
  return {next.genome, next.template_name, {}, "exhaustive", fmt::format("genome {} of the space", index + 1),
          std::nullopt};
}

}  // namespace evo::engine
