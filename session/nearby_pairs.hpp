// What trials that differ by one value alone say of it, near a champion. An effect is an average over a whole
// template; a champion is one place in it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trial.hpp"

namespace evo::session {

/// Pairs of trials of one run that differ by one change alone. Of all such pairs those that are nearest to
/// the champion.
struct NearbyPairs {
  /// Genes in which the unchanged ones differ from the champion; 0: it is the champion.
  std::size_t changes = 0;
  std::size_t pairs = 0;   ///< of which both ended, the unchanged one as correct
  std::size_t failed = 0;  ///< of them: the changed one is not correct
  double ratio = 1;        ///< changed over unchanged, geometric mean of those that did not fail
};

/// The trials of a few runs, by what they were made of; each pair is of one run, since runs differ by their
/// device and day. The trials outlive it.
class TriedGenomes {
 public:
  TriedGenomes(std::span<const std::span<const engine::TrialRecord>> histories,
               const engine::TrialRecord& champion);

  /// nullopt where no two trials differ by these values against the champion's alone.
  [[nodiscard]] std::optional<NearbyPairs> nearest(const model::Environment& values) const;

 private:
  const engine::TrialRecord& champion_;
  std::vector<std::map<std::string, const engine::TrialRecord*>> runs_;  ///< of the champion's template
};

}  // namespace evo::session
