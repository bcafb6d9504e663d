#include "engine/sqlite/schema.hpp"

#include <array>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::engine::sqlite {
namespace {

/// "evoL"
constexpr std::int64_t application_id = 0x65766f4c;

/// Each row of meta, trials, generations, insights and events carries a hash over its fields (rows of the
/// tables below it included) and the hash of the row before it. Lists and maps that are only shown are JSON;
/// numbers that are computed with are columns, because JSON readers may round them.
constexpr std::string_view version_1 = R"sql(
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  experiment_yaml TEXT NOT NULL, experiment_hash TEXT NOT NULL, problem_hash TEXT NOT NULL,
  toolchain TEXT NOT NULL, device_kind TEXT NOT NULL, device_name TEXT NOT NULL, driver TEXT NOT NULL,
  latency_kind TEXT NOT NULL,
  input_seed TEXT NOT NULL, seed TEXT NOT NULL,     -- unsigned 64-bit numbers, which INTEGER cannot hold
  evo_version TEXT NOT NULL, row_hash TEXT NOT NULL
) STRICT;
CREATE TABLE trials (
  trial INTEGER PRIMARY KEY,                        -- proposal order, from 0
  generation INTEGER NOT NULL, slot INTEGER NOT NULL,
  variant TEXT NOT NULL, template TEXT NOT NULL, genes TEXT NOT NULL, parents TEXT NOT NULL,
  operator TEXT NOT NULL, rationale TEXT NOT NULL, predicted_effect REAL,
  status TEXT NOT NULL, gate TEXT, reason TEXT NOT NULL, evidence TEXT NOT NULL,
  resources TEXT, code_identity TEXT NOT NULL, duplicate_of TEXT NOT NULL, source_hash TEXT NOT NULL,
  device_seconds REAL NOT NULL, elapsed_seconds REAL NOT NULL, row_hash TEXT NOT NULL
) STRICT;
CREATE INDEX trials_variant ON trials (variant);
CREATE TABLE gates (
  trial INTEGER NOT NULL REFERENCES trials, position INTEGER NOT NULL,
  gate TEXT NOT NULL, pass INTEGER NOT NULL, ms REAL NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE latencies (
  trial INTEGER NOT NULL REFERENCES trials, position INTEGER NOT NULL,
  workload TEXT NOT NULL, weight REAL NOT NULL, kind TEXT NOT NULL, latency_us REAL NOT NULL,
  ci_low REAL, ci_high REAL, samples INTEGER NOT NULL, method TEXT NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE generations (
  generation INTEGER PRIMARY KEY, trials INTEGER NOT NULL, best_variant TEXT NOT NULL, best_us REAL NOT NULL,
  diversity REAL NOT NULL, device_seconds REAL NOT NULL, money REAL NOT NULL, counts TEXT NOT NULL,
  row_hash TEXT NOT NULL
) STRICT;
CREATE TABLE insights (
  generation INTEGER PRIMARY KEY, trials INTEGER NOT NULL, row_hash TEXT NOT NULL
) STRICT;
CREATE TABLE effects (
  generation INTEGER NOT NULL REFERENCES insights, position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
  template TEXT NOT NULL, gene TEXT NOT NULL, value TEXT NOT NULL,
  effect REAL NOT NULL, ci_low REAL NOT NULL, ci_high REAL NOT NULL, trials INTEGER NOT NULL,
  PRIMARY KEY (generation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE failures (
  generation INTEGER NOT NULL REFERENCES insights, position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
  template TEXT NOT NULL, when_genes TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  count INTEGER NOT NULL, total INTEGER NOT NULL, rate_at_least REAL NOT NULL,
  PRIMARY KEY (generation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  event INTEGER PRIMARY KEY, kind TEXT NOT NULL, trial INTEGER NOT NULL, details TEXT NOT NULL,
  row_hash TEXT NOT NULL
) STRICT;
)sql";

/// Version 2: what came of timing a trial in turn with the champion of that moment.
constexpr std::string_view version_2 = R"sql(
CREATE TABLE comparisons (
  trial INTEGER PRIMARY KEY REFERENCES trials, incumbent TEXT NOT NULL,
  ratio REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, confidence REAL NOT NULL, rounds INTEGER NOT NULL
) STRICT;
)sql";

/// Version 3: which of a farm's workers did a trial, and what it cost.
constexpr std::string_view version_3 = R"sql(
CREATE TABLE work (
  trial INTEGER PRIMARY KEY REFERENCES trials, worker TEXT NOT NULL, device TEXT NOT NULL, money REAL
) STRICT;
)sql";

/// Version 4: what error a comparison may have spent; NULL in rows of an older evo.
constexpr std::string_view version_4 = R"sql(
ALTER TABLE comparisons ADD COLUMN error REAL;
)sql";

/// Version 5: of what was measured the raw samples, and what was unusual about them. `us` are floats of 32
/// bits, little-endian.
constexpr std::string_view version_5 = R"sql(
CREATE TABLE timings (
  trial INTEGER NOT NULL REFERENCES trials,
  compared INTEGER NOT NULL,                        -- 0: alone; 1: in turn with its champion
  watched INTEGER NOT NULL, discarded INTEGER NOT NULL, kept INTEGER NOT NULL,
  reasons TEXT NOT NULL, odd TEXT NOT NULL,
  PRIMARY KEY (trial, compared)
) STRICT, WITHOUT ROWID;
CREATE TABLE samples (
  trial INTEGER NOT NULL REFERENCES trials, position INTEGER NOT NULL,
  workload TEXT NOT NULL, side TEXT NOT NULL, us BLOB NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;
ALTER TABLE trials ADD COLUMN samples_hash TEXT;
)sql";

constexpr std::array<std::string_view, 5> migrations_of_this_version{version_1, version_2, version_3,
                                                                     version_4, version_5};

[[noreturn]] void refuse(const Database& database, const std::string& why) {
  throw model::Exception(model::ExitCode::environment, fmt::format("{}: {}", database.file().string(), why));
}

/// The file's version, once it is known to be a ledger that is not newer than this program.
std::size_t checked_version(Database& database, std::size_t newest) {
  const std::int64_t id = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const bool empty = database.integer("SELECT count(*) FROM sqlite_master") == 0;
  if (id != application_id && !empty) refuse(database, "it is not an evo ledger");
  if (version > static_cast<std::int64_t>(newest)) {
    refuse(database,
           fmt::format("the ledger has schema version {}, this evo knows up to version {}: use the evo that "
                       "wrote it, or a newer one",
                       version, newest));
  }
  return static_cast<std::size_t>(version);
}

}  // namespace

std::span<const std::string_view> ledger_migrations() {
  return migrations_of_this_version;
}

void migrate(Database& database, std::span<const std::string_view> migrations) {
  for (std::size_t version = checked_version(database, migrations.size()); version < migrations.size();
       ++version) {
    Transaction transaction(database);
    database.execute(std::string(migrations[version]));
    database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, version + 1));
    transaction.commit();
  }
}

void require_current(Database& database, std::span<const std::string_view> migrations) {
  const std::size_t version = checked_version(database, migrations.size());
  if (version == migrations.size()) return;
  refuse(database, version == 0 ? "the ledger is empty"
                                : fmt::format("the ledger has schema version {}, this evo reads version {}",
                                              version, migrations.size()));
}

}  // namespace evo::engine::sqlite
