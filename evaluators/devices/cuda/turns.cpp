#include "evaluators/devices/cuda/turns.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

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

void Turns::share_beside(const std::string& file, const Turns& own) {
  share(file);
  own_ = &own;
}

/// Tries once where there is an own holder to look after, otherwise waits. False: not yet.
bool Turns::lock() const {
  if (::flock(file_, own_ == nullptr ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EINTR || errno == EWOULDBLOCK) return false;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("no turn on the GPU: {}", std::strerror(errno)));
}

devices::DeviceLock Turns::take() {
  if (auto held = held_.lock()) return held;
  const double asked = now();
  while (file_ >= 0 && !lock()) {
    if (own_ == nullptr) continue;
    if (own_->is_held()) return nullptr;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  is_held_ = true;
  const double since = now();
  waiting_seconds_ += since - asked;
  devices::DeviceLock taken(static_cast<void*>(this), [this, since](void*) { end(since); });
  held_ = taken;
  return taken;
}

void Turns::end(double since) {
  is_held_ = false;
  held_seconds_ += now() - since;
  if (file_ >= 0) ::flock(file_, LOCK_UN);
}

std::string turn_file(const std::string& uuid) {
  return (std::filesystem::temp_directory_path() / fmt::format("evo-{}-{}.lock", ::getuid(), uuid)).string();
}

}  // namespace evo::evaluators::cuda
