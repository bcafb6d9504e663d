// How much memory a process holds.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace evo::evaluators::process {

/// Resident bytes of a process (/proc/PID/statm); 0 if it is gone or cannot be asked.
[[nodiscard]] std::int64_t resident_bytes(pid_t pid);
/// Half of this machine's memory, at least 8 GiB: more than any honest device job's inputs, references and
/// copies take.
[[nodiscard]] std::int64_t generous_memory();

}  // namespace evo::evaluators::process
