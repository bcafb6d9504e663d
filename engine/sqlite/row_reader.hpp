// Rows of a ledger as records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/ledger.hpp"
#include "engine/sqlite/database.hpp"

namespace evo::engine::sqlite {

/// A record and the hash that stands beside it.
template <class Record>
struct Row {
  std::int64_t number = 0;  ///< primary key
  Record record;
  std::string hash;
};

/// What becomes of a read when the file itself is damaged in the middle of a table.
enum class Damage : std::uint8_t {
  throws,  ///< model::Exception(environment)
  ends,    ///< the rows before it are returned, and `broken` says where they end
};

inline constexpr std::int64_t from_the_first = INT64_MIN;

/// Each reads a table in key order, from the row with the key `from` on. A row that cannot be read (unknown
/// status, broken JSON, wrong number) is reported through `broken` and left out; without `broken` it throws
/// model::Exception(verification_failed).
[[nodiscard]] std::optional<Row<RunMeta>> read_meta(Database& database, std::vector<IntegrityIssue>* broken,
                                                    Damage damage = Damage::throws);
[[nodiscard]] std::vector<Row<TrialRecord>> read_trials(Database& database,
                                                        std::vector<IntegrityIssue>* broken,
                                                        Damage damage = Damage::throws);
/// The same, each row handed over as it is read: for ledgers that are not to stand in memory twice.
void for_each_trial(Database& database, std::vector<IntegrityIssue>* broken, Damage damage,
                    const std::function<void(Row<TrialRecord>&&)>& take, std::int64_t from = from_the_first);
/// True if that row of the table is there and its hash is this one.
[[nodiscard]] bool has_row(Database& database, const char* table, const char* key, std::int64_t number,
                           const std::string& hash);
/// The trials of these indices, in their order; one that is not there or cannot be read is left out.
[[nodiscard]] std::vector<TrialRecord> read_some_trials(Database& database,
                                                        const std::vector<std::int64_t>& indices);
[[nodiscard]] std::vector<Row<GenerationRecord>> read_generations(Database& database,
                                                                  std::vector<IntegrityIssue>* broken,
                                                                  Damage damage = Damage::throws,
                                                                  std::int64_t from = from_the_first);
[[nodiscard]] std::vector<Row<model::Insights>> read_insights(Database& database,
                                                              std::vector<IntegrityIssue>* broken,
                                                              Damage damage = Damage::throws,
                                                              std::int64_t from = from_the_first);
[[nodiscard]] std::vector<Row<EventRecord>> read_events(Database& database,
                                                        std::vector<IntegrityIssue>* broken,
                                                        Damage damage = Damage::throws,
                                                        std::int64_t from = from_the_first);

}  // namespace evo::engine::sqlite
