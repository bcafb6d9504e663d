#include "evaluators/process/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::evaluators::process {
namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = "owner.lock";

/// An invalid one: there is no such file, or somebody holds it.
Fd locked(const fs::path& file, int flags) {
  Fd descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (descriptor && ::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) descriptor.reset();
  return descriptor;
}

void remove_left(const fs::path& where, const std::string& name) {
  std::error_code error;
  for (fs::directory_iterator at(where, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const fs::path folder = at->path();
    struct stat its {};
    if (!folder.filename().string().starts_with(name + "-") || ::lstat(folder.c_str(), &its) != 0 ||
        !S_ISDIR(its.st_mode) || its.st_uid != ::getuid())
      continue;
    std::error_code ignored;
    if (const Fd nobodys = locked(folder / lock_name, 0)) fs::remove_all(folder, ignored);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::error_code none;
  fs::path where = fs::temp_directory_path(none);
  if (none) where = "/tmp";  // TMPDIR names no folder
  remove_left(where, name);
  std::string pattern = (where / (name + "-XXXXXX")).string();
  const bool made = ::mkdtemp(pattern.data()) != nullptr;
  if (made) {
    path_ = pattern;
    // Locked before it has the name that others look for.
    const fs::path early = path_ / "making.lock";
    lock_ = locked(early, O_CREAT);
    std::error_code error;
    if (lock_) fs::rename(early, path_ / lock_name, error);
    if (lock_ && !error) return;
    fs::remove_all(path_, error);
  }
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("cannot make a temporary folder {}", pattern));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace evo::evaluators::process
