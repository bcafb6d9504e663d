// The compile worker's main loop: the hidden verb `evo compile-worker`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::compile {

/// A worker's first frame: who it is, or why it cannot work.
struct WorkerGreeting {
  std::string error;  ///< empty when the worker is ready
  std::string version, library;
  std::vector<std::string> include_folders;
  bool confined = false;  ///< Landlock holds
  bool filtered = false;  ///< system calls are filtered: no network, no other process
};
[[nodiscard]] std::string encode(const WorkerGreeting& greeting);
/// nullopt for other bytes, or for a worker of another version of evo.
[[nodiscard]] std::optional<WorkerGreeting> decode_greeting(std::string_view bytes);

/// Loads NVRTC, confines itself to the toolkit's files, greets, then answers each request frame (codec.hpp)
/// with one frame: "r" and a result, or "e" and the message of an environment error. Returns the exit code: 0
/// at end of input, 4 when there is no usable NVRTC.
[[nodiscard]] int compile_worker_main();

}  // namespace evo::evaluators::compile
