// What became of each operator's proposals, and what each edit of a champion is worth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "source/edit.hpp"

namespace evo::engine {

/// Counts of the trials whose last step is this operator; each is at most the one before it.
struct OperatorCounts {
  std::string name;
  std::int64_t proposed = 0;
  std::int64_t parsed = 0;  ///< legal, and no gate had to refuse the text as none
  std::int64_t compiled = 0;
  std::int64_t changed = 0;  ///< other machine code than every earlier variant
  std::int64_t sanitized = 0;
  std::int64_t correct = 0;
  std::int64_t faster = 0;  ///< than the champion of that moment
};

/// By name.
[[nodiscard]] std::vector<OperatorCounts> operator_counts(std::span<const TrialRecord> trials);

/// True if a trial of the run has an edit of its source.
[[nodiscard]] bool has_edits(std::span<const TrialRecord> trials);

/// An edit of a variant, and the trial of the variant without it, if there was one.
struct EditShare {
  source::Edit edit;
  const TrialRecord* without = nullptr;
  /// Latency without it over the variant's; nullopt where there is none: it was wrong, or never tried.
  std::optional<double> factor;
};

/// In the order of the variant's edits.
[[nodiscard]] std::vector<EditShare> edit_shares(std::span<const TrialRecord> trials,
                                                 const TrialRecord& variant);

}  // namespace evo::engine
