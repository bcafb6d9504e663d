// fork and exec with pipes, limits and a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "evaluators/process/child.hpp"
#include "evaluators/process/fd.hpp"

namespace evo::evaluators::process {

/// The parent's ends of the pipes; all non-blocking and closed on exec.
struct Spawned {
  pid_t pid = -1;
  Fd to_stdin;
  Fd from_stdout;
  Fd from_stderr;
};

/// The child gets SIGKILL when the *calling thread* ends (PR_SET_PDEATHSIG is bound to a thread), so call
/// this from a thread that outlives the child. Throws model::Exception(environment).
[[nodiscard]] Spawned spawn_process(const std::vector<std::string>& argv, const ChildLimits& limits);

}  // namespace evo::evaluators::process
