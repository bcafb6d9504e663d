// Records into the rows of a ledger. All inside the caller's transaction.
#pragma once

#include <cstdint>
#include <string>

#include "engine/sqlite/database.hpp"
#include "engine/trial.hpp"

namespace evo::engine::sqlite {

void write(Database& database, const RunMeta& meta, const std::string& hash);
void write(Database& database, const TrialRecord& trial, const std::string& hash);
void write(Database& database, const GenerationRecord& generation, const std::string& hash);
void write(Database& database, const model::Insights& insights, const std::string& hash);
void write(Database& database, std::int64_t number, const EventRecord& event, const std::string& hash);

}  // namespace evo::engine::sqlite
