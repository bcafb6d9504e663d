#include "evaluators/oracle/shared_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "model/hash.hpp"

namespace evo::evaluators::oracle {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

std::optional<std::string> read(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return std::nullopt;
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return bytes;
}

/// All of it under its name, or nothing: a process may be killed while it writes.
void write(const fs::path& file, const std::string& bytes) {
  const fs::path beside = fmt::format("{}.{}", file.string(), ::getpid());
  std::error_code error;
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      fs::remove(beside, error);
      return;
    }
  }
  fs::rename(beside, file, error);
  if (error) fs::remove(beside, error);
}

/// Gives the lock back when the last copy goes.
std::shared_ptr<void> held(int descriptor) {
  return {nullptr, [descriptor](void*) { ::close(descriptor); }};
}

}  // namespace

SharedFolder::SharedFolder(fs::path folder, std::int64_t capacity_bytes)
    : folder_(std::move(folder)), capacity_bytes_(capacity_bytes) {}

bool SharedFolder::make_room(std::size_t bytes) const {
  struct Kept {
    fs::file_time_type time;
    fs::path file;
    std::int64_t bytes = 0;
  };
  std::vector<Kept> kept;
  auto left = capacity_bytes_ - static_cast<std::int64_t>(bytes);
  if (left < 0) return false;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    const auto size = static_cast<std::int64_t>(at->file_size(ignored));
    const auto time = at->last_write_time(ignored);
    if (ignored || size == 0) continue;  // gone, or a lock
    left -= size;
    kept.push_back({time, at->path(), size});
  }
  std::ranges::sort(kept, {}, &Kept::time);
  for (const Kept& oldest : kept) {
    if (left >= 0) break;
    std::error_code ignored;
    if (fs::remove(oldest.file, ignored)) left += oldest.bytes;
  }
  return left >= 0;
}

SharedFolder::Claim SharedFolder::take(const std::string& name) const {
  const fs::path file = folder_ / model::sha256(name);
  if (auto blob = read(file)) return {std::move(blob), {}};
  const std::string lock = file.string() + ".lock";
  const int descriptor = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return {std::nullopt, [](const std::string&) {}};
  auto claim = held(descriptor);
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  bool mine = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const bool waits = !mine;
  while (!mine && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    mine = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  }
  if (auto blob = read(file)) return {std::move(blob), {}};
  // What another one could not keep, or did not make, is made by all that waited at once.
  if (waits) return {std::nullopt, [](const std::string&) {}};
  return {std::nullopt, [this, file, claim = std::move(claim), mine](const std::string& blob) {
            if (mine && make_room(blob.size())) write(file, blob);
          }};
}

}  // namespace evo::evaluators::oracle
