#include "session/gpu_use.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace evo::session {
namespace {

namespace fs = std::filesystem;

/// Lines: process, since, command, run folder.
std::string lines_of(const GpuUser& user) {
  const auto one_line = [](std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  return fmt::format("{}\n{}\n{}\n{}\n", user.process, user.since, one_line(user.command),
                     one_line(user.run_folder));
}

std::optional<GpuUser> read_user(const fs::path& file) {
  std::ifstream stream(file);
  GpuUser user;
  std::string process;
  std::getline(stream, process);
  std::getline(stream, user.since);
  std::getline(stream, user.command);
  std::getline(stream, user.run_folder);
  std::istringstream number(process);
  if (!(number >> user.process) || user.process <= 0) return std::nullopt;
  return user;
}

/// Removes the entry of a process that has ended; false: its process lives, and holds it.
bool is_left_behind(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return true;
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  std::error_code ignored;
  if (free) fs::remove(file, ignored);
  ::close(descriptor);
  return free;
}

/// In a folder that all may write to, somebody else may have made one of that name, or a link to another.
bool is_ours(const fs::path& folder) {
  struct stat of {};
  return folder.is_absolute() && ::lstat(folder.c_str(), &of) == 0 && S_ISDIR(of.st_mode) &&
         of.st_uid == ::getuid() && (of.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// "4711-0": a process and a number.
bool is_entry(const fs::path& file) {
  return file.filename().string().find_first_not_of("0123456789-") == std::string::npos;
}

std::vector<GpuUser> users_in(const fs::path& folder) {
  std::vector<GpuUser> users;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_entry(entry.path()) || is_left_behind(entry.path())) continue;
    if (auto user = read_user(entry.path())) users.push_back(std::move(*user));
  }
  std::ranges::sort(users, {}, &GpuUser::process);
  return users;
}

}  // namespace

std::string text_of(const GpuUser& user) {
  return fmt::format("process {} ({}{}{}) since {}", user.process, user.command,
                     user.run_folder.empty() ? "" : ", run folder ", user.run_folder, user.since);
}

std::string strangers_text(const std::string& gpu, std::optional<unsigned> processes) {
  if (processes.value_or(0) == 0) return {};
  return fmt::format(
      "{} is in use by {} process{} that {} not evo's and take{} no turns: what is timed may be "
      "disturbed",
      gpu, *processes, *processes == 1 ? "" : "es", *processes == 1 ? "is" : "are",
      *processes == 1 ? "s" : "");
}

GpuUser this_process(const std::string& run_folder) {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string command{std::istreambuf_iterator<char>(stream), {}};
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::error_code ignored;
  return {::getpid(), fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(now)), command,
          run_folder.empty() ? std::string() : fs::absolute(run_folder, ignored).string()};
}

GpuUse::GpuUse(fs::path folder, const GpuUser& own) {
  ::mkdir(folder.c_str(), 0700);
  if (!is_ours(folder)) return;
  others_ = users_in(folder);
  // A file each: a process may use a GPU for two things at a time.
  for (int number = 0; descriptor_ < 0 && number < 64; ++number) {
    fs::path file = folder / fmt::format("{}-{}", own.process, number);
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (opened < 0) {
      if (errno == EEXIST) continue;
      return;
    }
    const std::string text = lines_of(own);
    struct stat of {};
    const bool kept = ::flock(opened, LOCK_EX | LOCK_NB) == 0 && ::fstat(opened, &of) == 0 &&
                      of.st_nlink > 0 &&
                      ::write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (kept) {
      descriptor_ = opened;
      file_ = std::move(file);
    } else {
      ::close(opened);  // somebody took it for one that was left behind
    }
  }
}

GpuUse::~GpuUse() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  fs::remove(file_, ignored);
  ::close(descriptor_);
}

fs::path users_folder(const std::string& uuid) {
  std::error_code ignored;
  return fs::temp_directory_path(ignored) / fmt::format("evo-{}-{}.users", ::getuid(), uuid);
}

}  // namespace evo::session
