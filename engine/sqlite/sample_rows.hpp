// Raw samples, and what was unusual about them, as rows of a ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sqlite/database.hpp"
#include "engine/trial.hpp"

namespace evo::engine::sqlite {

/// Selects from `timings` what read_timings() reads, of one trial.
inline constexpr const char* select_timings =
    "SELECT compared, watched, discarded, kept, reasons, odd FROM timings WHERE trial = ? ORDER BY compared";
/// Into the trial, whose comparison has been read. Throws std::runtime_error for rows that nobody has
/// written.
void read_timings(Statement& statement, TrialRecord& trial);
void write_timing(Database& database, std::int64_t trial, bool compared, const model::TimingNotes& notes);

/// Ledger::samples(). Throws std::runtime_error likewise.
[[nodiscard]] std::vector<model::SampleSeries> read_samples(Database& database, std::int64_t trial);
void write(Database& database, std::int64_t trial, const std::vector<model::SampleSeries>& samples);

}  // namespace evo::engine::sqlite
