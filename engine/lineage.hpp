// The lineage of a run: everything that seed and verdicts decide, in proposal order, and no clock time.
#pragma once

#include <span>
#include <string>

#include "engine/trial.hpp"
#include "model/stream_hash.hpp"

namespace evo::engine {

/// One canonical JSON line: id, parents, operator, generation, slot, template, genes, status, gate, reason
/// and, only when modelled or recorded, latency_us.
[[nodiscard]] std::string lineage_line(const TrialRecord& trial);

/// SHA-256 over all lines, each ended by a newline.
[[nodiscard]] std::string lineage_sha256(std::span<const TrialRecord> trials);

/// The same, trial by trial.
class LineageHash {
 public:
  void add(const TrialRecord& trial) { hash_.add(lineage_line(trial) + "\n"); }
  [[nodiscard]] std::string finish() { return hash_.finish(); }  ///< call once
  /// Of the trials so far; more may follow.
  [[nodiscard]] std::string so_far() const { return hash_.so_far(); }

 private:
  model::StreamHash hash_;
};

}  // namespace evo::engine
