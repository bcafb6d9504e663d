#include "evaluators/devices/cuda/turns.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "model/error.hpp"

namespace evo::evaluators::cuda {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Turns::~Turns() {
  if (file_ >= 0) ::close(file_);
}

void Turns::share(const std::string& file) {
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("the lock file {} of the GPU cannot be opened: {}", file, std::strerror(errno)));
  }
}

devices::Turn Turns::take() {
  if (auto held = held_.lock()) return held;
  const double asked = now();
  while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      throw model::Exception(model::ExitCode::environment,
                             fmt::format("no turn on the GPU: {}", std::strerror(errno)));
    }
  }
  const double since = now();
  waiting_seconds_ += since - asked;
  devices::Turn turn(static_cast<void*>(this), [this, since](void*) { end(since); });
  held_ = turn;
  return turn;
}

void Turns::end(double since) {
  held_seconds_ += now() - since;
  if (file_ >= 0) ::flock(file_, LOCK_UN);
}

std::string turn_file(const std::string& uuid) {
  return (std::filesystem::temp_directory_path() / fmt::format("evo-{}-{}.lock", ::getuid(), uuid)).string();
}

}  // namespace evo::evaluators::cuda
