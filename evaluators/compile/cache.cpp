#include "evaluators/compile/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/virtual_headers.hpp"
#include "evaluators/process/fd.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::compile {
namespace fs = std::filesystem;
using process::Fd;

namespace {

constexpr std::string_view magic = "evo artifact 1\n";
constexpr std::size_t digest_size = 64;
/// Temporary files older than this belong to a process that died while it wrote.
constexpr std::int64_t stale_seconds = 600;

bool read_file(const fs::path& path, std::string& bytes) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || info.st_size < 0) return false;
  bytes.resize(static_cast<std::size_t>(info.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

struct Entry {
  fs::path path;
  std::int64_t bytes = 0;
  std::int64_t used_ns = 0;
};

/// Files of both levels below `root`; a folder that vanishes meanwhile is as good as empty.
std::vector<Entry> entries_below(const fs::path& root) {
  std::vector<Entry> entries;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(root, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    struct stat info {};
    if (::lstat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    entries.push_back(
        {at->path(), info.st_size, info.st_mtim.tv_sec * std::int64_t{1000000000} + info.st_mtim.tv_nsec});
  }
  return entries;
}

}  // namespace

fs::path ArtifactCache::default_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return fs::path(xdg) / "evo" / "artifacts";
  const char* home = std::getenv("HOME");
  const fs::path base = home != nullptr && *home != '\0' ? fs::path(home) : fs::temp_directory_path();
  return base / ".cache" / "evo" / "artifacts";
}

std::int64_t ArtifactCache::default_cap() {
  const char* wanted = std::getenv("EVO_CACHE_MAX_MB");
  const long long megabytes = wanted == nullptr ? 0 : std::atoll(wanted);
  return (megabytes > 0 ? std::int64_t{megabytes} : 2048) << 20;
}

ArtifactCache::ArtifactCache(fs::path folder, std::int64_t cap_bytes)
    : folder_(std::move(folder)), cap_bytes_(cap_bytes) {
  std::error_code error;
  fs::create_directories(folder_ / "entries", error);
  if (!error) fs::create_directories(folder_ / "tmp", error);
  if (error) note_problem(fmt::format("cannot create {}: {}", folder_.string(), error.message()));
}

std::string ArtifactCache::key_of(const CompileRequest& request, const std::string& compiler_version) {
  model::Hasher hasher;
  hasher.add("evo compile, without comments and line directives")
      .add(std::to_string(codec_version))
      .add(compiler_version);
  hasher.add(request.source).add(request.source_file).add(request.entry).add(request.arch);
  const auto add_headers = [&](const std::map<std::string, std::string>& headers) {
    hasher.add(std::to_string(headers.size()));
    for (const auto& [name, text] : headers) hasher.add(name).add(text);
  };
  for (const auto& entry : request.other_entries) hasher.add(entry);
  hasher.add(std::to_string(request.other_entries.size()));
  add_headers(virtual_headers());
  add_headers(request.headers);
  for (const auto& options : {fixed_options(request), request.options}) {
    hasher.add(std::to_string(options.size()));
    for (const auto& option : options) hasher.add(option);
  }
  return hasher.finish();
}

fs::path ArtifactCache::path_of(const std::string& key) const {
  return folder_ / "entries" / key.substr(0, 2) / key;
}

std::optional<CompileResult> ArtifactCache::find(const std::string& key) {
  const fs::path path = path_of(key);
  std::string bytes;
  std::optional<CompileResult> result;
  bool corrupt = false;
  if (read_file(path, bytes)) {
    const std::string_view all(bytes);
    if (all.starts_with(magic) && all.size() >= magic.size() + digest_size) {
      const std::string_view payload = all.substr(magic.size() + digest_size);
      if (model::sha256(payload) == all.substr(magic.size(), digest_size)) result = decode_result(payload);
    }
    corrupt = !result;
  }
  if (corrupt) {
    ::unlink(path.c_str());
  } else if (result) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
    if (*result) (*result)->from_cache = true;
  }
  const std::lock_guard lock(mutex_);
  ++(result ? counts_.hits : counts_.misses);
  counts_.corrupt += corrupt;
  return result;
}

void ArtifactCache::store(const std::string& key, const CompileResult& result) {
  const std::string payload = encode(result);
  static std::atomic<unsigned> serial{0};
  const fs::path temporary = folder_ / "tmp" / fmt::format("{}.{}.{}", key, ::getpid(), serial++);
  const fs::path path = path_of(key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);

  bool written = false;
  if (const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)); file) {
    written = write_all(file.get(), magic) && write_all(file.get(), model::sha256(payload)) &&
              write_all(file.get(), payload) && ::fsync(file.get()) == 0;
  }
  if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    note_problem(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
    ::unlink(temporary.c_str());
    return;
  }
  bool check = false;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.stored;
    stored_since_check_ += static_cast<std::int64_t>(payload.size());
    // A look at every file for each 1/16 of the cap written keeps the cost small and the overshoot bounded.
    if (counts_.stored == 1 || stored_since_check_ > cap_bytes_ / 16) {
      stored_since_check_ = 0;
      check = true;
    }
  }
  if (check) evict();
}

void ArtifactCache::evict() {
  const Fd lock_file(::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_file || ::flock(lock_file.get(), LOCK_EX | LOCK_NB) != 0) return;  // another process is at it
  const std::int64_t now_ns = std::int64_t{::time(nullptr)} * 1000000000;
  for (const auto& left : entries_below(folder_ / "tmp")) {
    if (now_ns - left.used_ns > stale_seconds * 1000000000) ::unlink(left.path.c_str());
  }
  auto entries = entries_below(folder_ / "entries");
  std::int64_t total = 0;
  for (const auto& entry : entries) total += entry.bytes;
  if (total <= cap_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used_ns < b.used_ns; });
  std::int64_t evicted = 0;
  for (const auto& entry : entries) {
    if (total <= cap_bytes_ / 10 * 9) break;  // some room, so that the next store does not come here again
    if (::unlink(entry.path.c_str()) == 0) ++evicted;
    total -= entry.bytes;
  }
  const std::lock_guard lock(mutex_);
  counts_.evicted += evicted;
}

CacheStats ArtifactCache::stats() const {
  CacheStats stats;
  {
    const std::lock_guard lock(mutex_);
    stats = counts_;
  }
  stats.cap_bytes = cap_bytes_;
  for (const auto& entry : entries_below(folder_ / "entries")) {
    ++stats.entries;
    stats.bytes += entry.bytes;
  }
  return stats;
}

std::int64_t ArtifactCache::clear() {
  std::int64_t removed = 0;
  for (const auto& entry : entries_below(folder_ / "entries")) removed += ::unlink(entry.path.c_str()) == 0;
  return removed;
}

std::string ArtifactCache::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void ArtifactCache::note_problem(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) problem_ = what;
}

}  // namespace evo::evaluators::compile
