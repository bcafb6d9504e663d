// Which launches crossed cases get, and which others of a search are made on arrays that begin anywhere.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluators/gates/check_plan.hpp"

namespace evo::evaluators::gates {

/// The undeclared sets in which integers of several arrays are equal, by their index.
[[nodiscard]] std::vector<std::size_t> sets_of_equals(const DeviceJob& job, std::size_t declared);

/// Crosses sizes, flags, strides and scalars (the cases) with alignments and data. In a search the artifact
/// and the run's entropy draw what a launch shows; elsewhere each case is shown all of it.
class CrossedChecks {
 public:
  /// `job` stays as long as this does; the first `declared` of its input sets are the problem's own.
  CrossedChecks(const DeviceJob& job, std::size_t declared);

  /// Adds the launches of a crossed case: one where vectors are aligned; one of other data, where the case is
  /// light (on long reduced axes late spikes and negative numbers before others), and those with equals where
  /// arrays may match; where an axis is long, one of indices that lead on (oracle/index_chains.hpp); one with
  /// no array aligned; one with an array apart. Of a case that is not light, and in a search, a drawn few.
  void add(std::size_t case_index, std::vector<Check>& checks);

  /// In a search: some launches of workloads and stretched shapes that have no placement yet get one with no
  /// array aligned, or with one apart.
  void misalign_some(std::vector<Check>& checks);

 private:
  [[nodiscard]] Placement drawn_placement(const model::Case& bound);
  [[nodiscard]] std::size_t other_set(std::size_t case_index);
  [[nodiscard]] bool is_long(const model::Case& bound) const;
  [[nodiscard]] bool has_long_chains(const model::Case& bound) const;

  const DeviceJob& job_;
  std::size_t declared_;
  model::RandomStream draws_;
  std::vector<std::size_t> telling_;  ///< sets that a path for long rows fails on
  std::vector<std::size_t> leading_;  ///< those of indices that lead on
  std::vector<std::size_t> equal_;    ///< sets_of_equals(), where some hold matches
  std::size_t cases_ = 0, data_ = 0, long_data_ = 0, chains_ = 0;
};

}  // namespace evo::evaluators::gates
