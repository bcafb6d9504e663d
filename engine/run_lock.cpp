#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "engine/ledger.hpp"
#include "model/error.hpp"

namespace evo::engine {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& why) {
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("run folder {}: {}", folder.string(), why));
}

/// What the holder wrote into the lock file.
std::string holder_of(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& run_folder) {
  std::error_code error;
  std::filesystem::create_directories(run_folder, error);
  if (error) refuse(run_folder, fmt::format("it cannot be created: {}", error.message()));
  const std::filesystem::path file = run_folder / "lock";
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    refuse(run_folder, fmt::format("{} cannot be opened: {}", file.string(), std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string holder = holder_of(descriptor_);
    close(descriptor_);
    if (reason == EWOULDBLOCK) refuse(run_folder, fmt::format("in use by {}", holder));
    refuse(run_folder, fmt::format("{} cannot be locked: {}", file.string(), std::strerror(reason)));
  }
  // The number is for the message above only; the lock itself is the kernel's and ends with this process.
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, pid.data(), pid.size(), 0) < 0) {
    const int reason = errno;
    close(descriptor_);
    refuse(run_folder, fmt::format("{} cannot be written: {}", file.string(), std::strerror(reason)));
  }
}

RunLock::~RunLock() {
  close(descriptor_);
}

}  // namespace evo::engine
