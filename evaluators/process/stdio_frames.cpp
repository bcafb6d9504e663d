#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <mutex>

#include "evaluators/process/child.hpp"

namespace evo::evaluators::process {
namespace {

bool read_exactly(int fd, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(fd, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_exactly(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t put = ::write(fd, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    count -= static_cast<std::size_t>(put);
  }
  return true;
}

/// The descriptor that carries frames; stdout itself goes to stderr from the first call on.
int frame_output() {
  static const int descriptor = [] {
    std::signal(SIGPIPE, SIG_IGN);  // a parent that has gone shows as a failed write
    const int moved = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (moved >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return moved;
  }();
  return descriptor;
}

}  // namespace

void claim_stdout() {
  frame_output();
}

std::optional<std::string> read_stdin_frame() {
  std::array<char, 8> header{};
  if (!read_exactly(STDIN_FILENO, header.data(), header.size())) return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = header.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(header[i]);
  if (length > max_frame_bytes) return std::nullopt;
  std::string frame(static_cast<std::size_t>(length), '\0');
  if (!read_exactly(STDIN_FILENO, frame.data(), frame.size())) return std::nullopt;
  return frame;
}

bool write_stdout_frame(std::string_view bytes) {
  std::array<char, 8> header{};
  for (std::size_t i = 0; i < header.size(); ++i) {
    header[i] = static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i) & 0xff);
  }
  const int out = frame_output();
  return write_exactly(out, header.data(), header.size()) && write_exactly(out, bytes.data(), bytes.size());
}

std::string self_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  // A binary that was rebuilt while it runs is "... (deleted)", but the link itself can still be executed.
  if (error || !std::filesystem::exists(path, error)) return "/proc/self/exe";
  return path.string();
}

}  // namespace evo::evaluators::process
