// Port: where a run is kept. Real: SQLite. In-memory twin for tests and dry runs; both pass one conformance
// suite.
//
// Contract. begin() is called once, before the first commit. A commit is atomic: after a crash at any instant
// a ledger holds a prefix of the commits, each whole. Trials are committed in index order without gaps. Every
// row carries a hash over its fields and the row before it, so that an altered, removed or moved row is
// found. One writer; not thread-safe.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/trial.hpp"

namespace evo::engine {

/// What one transaction writes.
struct Commit {
  /// Its samples_hash is that of `samples`.
  std::optional<TrialRecord> trial;
  std::optional<GenerationRecord> generation;
  std::optional<model::Insights> insights;
  std::vector<EventRecord> events;
  std::vector<model::SampleSeries> samples{};  ///< the trial's
};

/// A row whose content does not belong to its hash, or that cannot be read at all.
struct IntegrityIssue {
  std::string table;
  std::int64_t row = 0;  ///< trial index, generation number or event number
  std::string message;
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  /// nullopt for a new ledger.
  [[nodiscard]] virtual std::optional<RunMeta> meta() const = 0;
  virtual void begin(const RunMeta& meta) = 0;
  /// Throws model::Exception(environment) when it cannot be written (full disk, no permission); what was
  /// committed before stays. Throws std::logic_error for a trial out of order.
  virtual void commit(const Commit& commit) = 0;

  /// In index order. Throws model::Exception(verification_failed) naming the row when one cannot be read.
  [[nodiscard]] virtual std::vector<TrialRecord> trials() const = 0;
  [[nodiscard]] virtual std::vector<GenerationRecord> generations() const = 0;
  /// One per generation, in order; the last one is computed from the whole run once it has ended.
  [[nodiscard]] virtual std::vector<model::Insights> insights() const = 0;
  [[nodiscard]] virtual std::vector<EventRecord> events() const = 0;
  /// The raw samples of a trial: of its own latencies (without a side), then those of its comparison. Empty
  /// where none were kept. They are no part of trials(), which are often read as a whole.
  [[nodiscard]] virtual std::vector<model::SampleSeries> samples(std::int64_t trial) const = 0;

  /// Checks every row against its hash; empty when nothing was altered.
  [[nodiscard]] virtual std::vector<IntegrityIssue> verify() const = 0;
};

enum class LedgerMode {
  create,  ///< a new file; Exception(environment) if there is one already
  write,   ///< an existing one, migrated to this version if it is older
  read,    ///< an existing one, for reports; a ledger that is being written can be read
};

/// Opens `file` (RUN/ledger.sqlite). Throws model::Exception(environment): no such file, no permission, not a
/// ledger, written by a newer evo (naming both schema versions).
[[nodiscard]] std::unique_ptr<Ledger> open_sqlite_ledger(const std::filesystem::path& file, LedgerMode mode);
[[nodiscard]] std::unique_ptr<Ledger> make_memory_ledger();

/// Holds RUN/lock (flock) while a run writes its folder; released by the destructor or the process's end.
class RunLock {
 public:
  /// Creates the folder if needed. Throws model::Exception(environment): "run folder X is in use by process
  /// N", or no permission.
  explicit RunLock(const std::filesystem::path& run_folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace evo::engine
