// The tile oracle: what the kernel computed on the way, stage by stage, against fp64.
#pragma once

#include <string>
#include <vector>

#include "diagnose/lab.hpp"
#include "diagnose/stage_check.hpp"

namespace evo::diagnose {

struct Tile {
  StageCheck check;
  std::vector<double> actual, expected;  ///< row-major; NaN where nothing was computed
  int line = 0;                          ///< of the hook in the source; 0 for an output
};

struct TileReport {
  bool hooks = false;       ///< the source shows stages
  std::vector<Tile> tiles;  ///< stages in their order, then outputs
  std::vector<std::string> notes;

  /// The first stage or output that is not correct; nullptr when all are.
  [[nodiscard]] const Tile* first_divergent() const;
};

/// Runs the candidate once more under `setup`, in a build with probes, and compares one slice of every stage
/// and output: the slice with the worst element of `failing`, the observation that `setup` gave. Sources
/// without hooks are compared by their outputs alone.
[[nodiscard]] TileReport look_into(Lab& lab, const Setup& setup, const Observation& failing);

/// As look_into(), for the two observations of one failure: the one whose first divergent stage comes
/// earlier, and the larger of the two where they agree, since more elements tell more mistakes apart.
/// Hypotheses that the first divergent stage matches are then held against the other input sets, and those
/// that do not hold there are dropped.
[[nodiscard]] TileReport look_into_both(Lab& lab, const Setup& larger, const Observation& larger_failing,
                                        const Setup& smaller, const Observation& smaller_failing);

/// Lines of `source` with EVO_PROBE(STAGE, ...); 0 where it has none.
[[nodiscard]] int probe_line(const std::string& source, const std::string& stage);

}  // namespace evo::diagnose
