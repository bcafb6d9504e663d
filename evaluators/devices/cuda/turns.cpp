#include "evaluators/devices/cuda/turns.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/// To lock a file it need not be written, so that one that another user has made serves, too. Whoever made it
/// may have made something else: a link, or a pipe that an open would wait for. -1: errno says why not.
int open_for_all(const std::string& file) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < 8; ++attempt) {
    int opened = ::open(file.c_str(), flags);
    // Whoever makes it is about to say that all may read it.
    if (opened < 0 && errno == EACCES) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      errno = EACCES;
      continue;
    }
    // Not O_CREAT alone: in a folder that is everybody's the system refuses it for a file of another user.
    if (opened < 0 && errno == ENOENT) {
      opened = ::open(file.c_str(), flags | O_CREAT | O_EXCL, 0444);
      if (opened < 0 && errno == EEXIST) continue;
      if (opened >= 0) static_cast<void>(::fchmod(opened, 0444));  // whatever the umask
    }
    struct stat is {};
    if (opened < 0 || (::fstat(opened, &is) == 0 && S_ISREG(is.st_mode))) return opened;
    ::close(opened);
    errno = EINVAL;
    break;
  }
  return -1;
}

int open_lock(const std::string& file) {
  const int opened = open_for_all(file);
  if (opened >= 0) return opened;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("the lock file {} of the GPU cannot be opened: {}; it is a file that "
                                     "everybody may read, and evo makes it where there is none",
                                     file, std::strerror(errno)));
}

/// The place in line, which is given back however the wait ends.
struct Place {
  explicit Place(int file) : next(file) {}
  ~Place() { ::flock(next, LOCK_UN); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  int next;
};

}  // namespace

Turns::~Turns() {
  if (file_ >= 0) ::close(file_);
  if (next_ >= 0) ::close(next_);
}

void Turns::share(const std::string& file) {
  file_ = open_lock(file);
  next_ = open_lock(file + ".next");
}

void Turns::share_beside(const std::string& file, const Turns& own) {
  share(file);
  own_ = &own;
}

/// Tries once where there is an own holder to look after, otherwise waits. False: not yet.
bool Turns::lock(int file) const {
  if (::flock(file, own_ == nullptr ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EINTR || errno == EWOULDBLOCK) return false;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("no turn on the GPU: {}", std::strerror(errno)));
}

/// False: the own holder has a turn, and this one is part of it. The system gives a lock to whoever asks when
/// it is free, which is mostly the one who has just given it back: so there is a line of one.
bool Turns::wait() {
  const Place place(next_);
  for (const int file : {next_, file_}) {
    while (!lock(file)) {
      if (own_ == nullptr) continue;
      if (own_->is_held()) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  return true;
}

devices::DeviceLock Turns::take() {
  if (auto held = held_.lock()) return held;
  const double asked = now();
  if (file_ >= 0 && !wait()) return nullptr;
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
  // Not the user's own temporary folder, if there is one that all have.
  std::error_code none;
  const std::filesystem::path all = "/tmp";
  const bool is_there = std::filesystem::is_directory(all, none) && ::access(all.c_str(), W_OK) == 0;
  return ((is_there ? all : std::filesystem::temp_directory_path()) / fmt::format("evo-{}.lock", uuid))
      .string();
}

}  // namespace evo::evaluators::cuda
