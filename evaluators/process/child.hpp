// Child processes that speak framed messages over stdin/stdout: compile workers and device workers.
// A frame is an 8-byte little-endian length and that many bytes. stderr of the child is captured (last 64
// KiB).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::process {

struct ChildLimits {
  std::int64_t memory_bytes = 0;      ///< RLIMIT_AS; 0 = none (a CUDA process needs none)
  std::int64_t cpu_seconds = 0;       ///< RLIMIT_CPU; 0 = none
  std::int64_t file_bytes = 0;        ///< RLIMIT_FSIZE; 0 = none
  int file_rules = -1;                ///< Landlock ruleset that the program runs under; -1 = none
  const void* call_filter = nullptr;  ///< a seccomp filter (sock_fprog) for it; null = none
  const char* folder = nullptr;       ///< where it runs; null = here
};

enum class ReadStatus : std::uint8_t { ok, timeout, closed };
struct ReadResult {
  ReadStatus status = ReadStatus::closed;
  std::string frame;
};

/// A longer frame is a protocol error.
inline constexpr std::uint64_t max_frame_bytes = std::uint64_t{1} << 30;

/// One child in its own process group, killed with its parent process (PR_SET_PDEATHSIG) and by the
/// destructor, whichever thread started it. Not thread-safe.
class Child {
 public:
  /// Starts `argv[0]` (a path). Throws model::Exception(environment) if that fails.
  static Child spawn(const std::vector<std::string>& argv, const ChildLimits& limits);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  /// False if the child is gone, or did not take all bytes within `timeout` (its input is then unusable: kill
  /// it). Output that arrives meanwhile is kept for read_frame(), so that two large frames cannot block each
  /// other.
  [[nodiscard]] bool write_frame(std::string_view bytes,
                                 std::chrono::milliseconds timeout = std::chrono::minutes(10));
  /// Waits for one whole frame. After `timeout` what has arrived is kept, and a later call may go on.
  /// `closed`: the child ended or closed its output, or sent a length over max_frame_bytes.
  [[nodiscard]] ReadResult read_frame(std::chrono::milliseconds timeout);

  [[nodiscard]] bool alive();
  void kill();  ///< SIGKILL to the group, then reaps; harmless when gone
  /// Signal (negative) or exit code, once it has ended.
  [[nodiscard]] std::optional<int> exit_status();
  [[nodiscard]] std::string captured_stderr() const;
  [[nodiscard]] pid_t pid() const;

 private:
  struct State;
  explicit Child(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Frames on this process's own stdin/stdout, for a worker's main loop. nullopt at end of file.
/// The first write takes descriptor 1 for frames and points stdout at stderr, so that a library that prints
/// cannot break the framing; call claim_stdout() first if something may print before that.
void claim_stdout();
[[nodiscard]] std::optional<std::string> read_stdin_frame();
[[nodiscard]] bool write_stdout_frame(std::string_view bytes);

/// Path of the running executable, for starting workers of the same binary.
[[nodiscard]] std::string self_path();

}  // namespace evo::evaluators::process
