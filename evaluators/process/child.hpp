// Child processes that speak framed messages over stdin/stdout: compile workers and device workers.
// A frame is an 8-byte little-endian length and that many bytes. stderr of the child is captured (last 64 KiB).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::process {

struct ChildLimits {
  std::int64_t memory_bytes = 0;  ///< RLIMIT_AS; 0 = none (a CUDA process needs none)
  std::int64_t cpu_seconds = 0;   ///< RLIMIT_CPU; 0 = none
  std::int64_t file_bytes = 0;    ///< RLIMIT_FSIZE; 0 = none
};

enum class ReadStatus : std::uint8_t { ok, timeout, closed };
struct ReadResult {
  ReadStatus status = ReadStatus::closed;
  std::string frame;
};

/// One child in its own process group, killed with its parent (PR_SET_PDEATHSIG) and by the destructor.
/// Not thread-safe.
class Child {
 public:
  /// Starts `argv[0]` (a path). Throws model::Exception(environment) if that fails.
  static Child spawn(const std::vector<std::string>& argv, const ChildLimits& limits);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  /// False if the child is gone.
  [[nodiscard]] bool write_frame(std::string_view bytes);
  [[nodiscard]] ReadResult read_frame(std::chrono::milliseconds timeout);

  [[nodiscard]] bool alive();
  void kill();  ///< SIGKILL to the group, then reaps; harmless when gone
  /// Signal (negative) or exit code, once it has ended.
  [[nodiscard]] std::optional<int> exit_status();
  [[nodiscard]] std::string captured_stderr() const;
  [[nodiscard]] pid_t pid() const;

 private:
  struct State;
  explicit Child(State* state) : state_(state) {}
  State* state_ = nullptr;
};

/// Frames on this process's own stdin/stdout, for a worker's main loop. nullopt at end of file.
[[nodiscard]] std::optional<std::string> read_stdin_frame();
[[nodiscard]] bool write_stdout_frame(std::string_view bytes);

/// Path of the running executable, for starting workers of the same binary.
[[nodiscard]] std::string self_path();

}  // namespace evo::evaluators::process
