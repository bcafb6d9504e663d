// Tables of a ledger, and how older ones become this version's.
#pragma once

#include <span>
#include <string_view>

#include "engine/sqlite/database.hpp"

namespace evo::engine::sqlite {

/// Script i turns schema version i into i + 1; version 0 is an empty file. PRAGMA user_version holds the
/// version, PRAGMA application_id marks the file as a ledger.
[[nodiscard]] std::span<const std::string_view> ledger_migrations();

/// Brings an empty or older ledger to version migrations.size(), one transaction a step. Throws
/// model::Exception(environment) for a file that is no ledger, and for one of a newer version, naming both.
void migrate(Database& database, std::span<const std::string_view> migrations);

/// The same checks without writing: throws also when the ledger is older.
void require_current(Database& database, std::span<const std::string_view> migrations);

}  // namespace evo::engine::sqlite
