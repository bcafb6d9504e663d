// A ledger for people who look at it, in whatever state it is: finished, being written, damaged, of an older
// evo.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "engine/ledger.hpp"

namespace evo::engine {

/// What can be read of a ledger, as of one moment.
struct LedgerRemains {
  std::optional<RunMeta> meta;      ///< nullopt before the first trial, or when it is damaged
  std::vector<TrialRecord> trials;  ///< in index order; rows that cannot be read are missing
  std::vector<GenerationRecord> generations;
  std::vector<model::Insights> insights;
  std::vector<EventRecord> events;
  /// Rows that cannot be read, or do not fit their hash, and where a damaged table ends.
  std::vector<IntegrityIssue> issues;
  std::int64_t schema_version = 0;  ///< of the file
};

/// Reads all that can be read, of one moment also while a run writes, and changes nothing but what SQLite
/// itself rolls back after a killed writer. Throws model::Exception(environment): no such file, no
/// permission, not a ledger, an empty one, written by a newer evo.
[[nodiscard]] LedgerRemains read_remains(const std::filesystem::path& file);

/// The same with each trial handed to `take` as it is read, in index order. LedgerRemains::trials then has
/// those alone that `again`, asked with all the rest in the end, names by their indices (ascending); without
/// `again` it stays empty.
[[nodiscard]] LedgerRemains read_remains(
    const std::filesystem::path& file, const std::function<void(TrialRecord&&)>& take,
    const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again = {});

}  // namespace evo::engine
