#include "engine/strategies/strategies.hpp"

namespace evo::engine {

RandomStrategy::RandomStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings), space_(space) {}

Proposal RandomStrategy::ask(const History& history, const SlotId& slot, const model::Insights*) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  return opening_proposal(space_, slot, history, streams);
}

}  // namespace evo::engine
