// The persistent artifact cache: results of compiles by content, shared by every evo process of a user.
//
// One entry is one file, entries/ab/<key>: a magic line, the SHA-256 of the payload, the payload (codec.hpp).
// It is written to tmp/, synced, and renamed, so that a reader sees a whole entry or none, whatever dies
// when. An entry that fails its checksum is removed and counts as a miss. Reading touches the file's time;
// when the entries together exceed the cap, those unused for longest go, under a lock file that one process
// holds at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "evaluators/compile/codec.hpp"

namespace evo::evaluators::compile {

struct CacheStats {
  std::int64_t entries = 0;
  std::int64_t bytes = 0;
  std::int64_t cap_bytes = 0;
  std::int64_t hits = 0, misses = 0, stored = 0, evicted = 0, corrupt = 0;  ///< of this object's lifetime
};

class ArtifactCache {
 public:
  /// $XDG_CACHE_HOME/evo/artifacts, or ~/.cache/evo/artifacts.
  [[nodiscard]] static std::filesystem::path default_folder();
  /// $EVO_CACHE_MAX_MB, or 2 GiB.
  [[nodiscard]] static std::int64_t default_cap();

  /// Creates the folder. A cache that cannot be used (no permission, read-only disk) is no error: every
  /// lookup misses, nothing is stored, and problem() says why.
  explicit ArtifactCache(std::filesystem::path folder, std::int64_t cap_bytes = default_cap());

  /// Key of a request for a compiler of this version: everything that the result depends on.
  [[nodiscard]] static std::string key_of(const CompileRequest& request, const std::string& compiler_version);

  /// Thread-safe, as are all below. Never throws.
  [[nodiscard]] std::optional<CompileResult> find(const std::string& key);
  void store(const std::string& key, const CompileResult& result);

  [[nodiscard]] CacheStats stats() const;
  /// Removes every entry; returns how many.
  std::int64_t clear();
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::string problem() const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;
  void evict();
  void note_problem(const std::string& what);

  std::filesystem::path folder_;
  std::int64_t cap_bytes_;
  mutable std::mutex mutex_;
  CacheStats counts_;
  std::int64_t stored_since_check_ = 0;
  std::string problem_;
};

}  // namespace evo::evaluators::compile
