// A ledger for people who look at it, in whatever state it is: finished, being written, damaged, of an older
// evo.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
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

/// The last row of a table that was read; `hash` is empty before the first.
struct TableMark {
  std::int64_t number = 0;
  std::string hash{};
};
/// How far a ledger was read.
struct LedgerMark {
  TableMark trials, generations, insights, events;
};

/// Reads all that can be read, of one moment also while a run writes, and changes nothing but what SQLite
/// itself rolls back after a killed writer. Throws model::Exception(environment): no such file, no
/// permission, not a ledger, an empty one, written by a newer evo.
[[nodiscard]] LedgerRemains read_remains(const std::filesystem::path& file);

/// The same with each trial handed to `take` as it is read, in index order. LedgerRemains::trials then has
/// those alone that `again`, asked with all the rest in the end, names by their indices (ascending); without
/// `again` it stays empty. `end`: where read_news() goes on.
[[nodiscard]] LedgerRemains read_remains(
    const std::filesystem::path& file, const std::function<void(TrialRecord&&)>& take,
    const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again = {},
    LedgerMark* end = nullptr);

/// What was written behind `mark`, which goes on to the end: the new rows alone, read in place, so that a run
/// of a million trials can be followed. LedgerRemains has the new generations, insights and events, the meta
/// row, and of the trials those that `again` names. nullopt where that cannot be, and the ledger has to be
/// read as a whole: the rows at the mark are not what they were, the schema is an older one, or something is
/// damaged. What `take` was handed does not count then.
[[nodiscard]] std::optional<LedgerRemains> read_news(
    const std::filesystem::path& file, LedgerMark& mark, const std::function<void(TrialRecord&&)>& take,
    const std::function<std::vector<std::int64_t>(const LedgerRemains&)>& again = {});

}  // namespace evo::engine
