// What the strategies share: streams of a slot, parents from the history, fresh genomes, duplicate handling.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/strategy.hpp"
#include "model/random.hpp"

namespace evo::engine {

/// The streams of one proposal; nothing else draws from them.
struct SlotStreams {
  model::RandomStream choice;   ///< which operator
  model::RandomStream parents;  ///< tournaments
  model::RandomStream genes;    ///< inside operators

  SlotStreams(std::uint64_t seed, const SlotId& slot);
};

/// A correct trial that may become a parent.
struct Candidate {
  const TrialRecord* trial;
  double microseconds;
};

/// The correct trials of `history`, fastest first (the earlier one on a tie), at most `limit`.
[[nodiscard]] std::vector<Candidate> best_candidates(std::span<const TrialRecord> history, std::size_t limit);

/// The position of the best of `rounds` random candidates among `count` > 0, the best first.
[[nodiscard]] std::size_t tournament(std::size_t count, int rounds, model::RandomStream& random);
/// The same among all but position `other`; nullopt where there is none.
[[nodiscard]] std::optional<std::size_t> tournament_without(std::size_t other, std::size_t count, int rounds,
                                                            model::RandomStream& random);

/// Proposal 0.
[[nodiscard]] Proposal baseline_proposal(const SearchSpace& space);
/// A random legal genome of a random template.
[[nodiscard]] Proposal fresh_proposal(const SearchSpace& space, model::RandomStream& random,
                                      std::string operator_name);
/// A random legal genome of this template.
[[nodiscard]] Proposal fresh_proposal(const SearchTemplate& entry, model::RandomStream& random,
                                      std::string operator_name);
/// What the templates' authors offer, without the baseline and what is not legal here: the initial genomes of
/// the templates other than the baseline's, then the starts of all.
[[nodiscard]] std::vector<Proposal> initial_designs(const SearchSpace& space);
/// Generation 0 after the baseline and the experiment's starts: initial_designs(), then random legal genomes.
[[nodiscard]] Proposal opening_proposal(const SearchSpace& space, const SlotId& slot, const History& history,
                                        SlotStreams& streams);

/// The first of a bounded number of draws of `make` that was not proposed before; then of fresh random
/// genomes; then a duplicate, which the campaign records as such.
[[nodiscard]] Proposal without_duplicates(const SearchSpace& space, const History& history,
                                          SlotStreams& streams, const std::function<Proposal()>& make);

}  // namespace evo::engine
