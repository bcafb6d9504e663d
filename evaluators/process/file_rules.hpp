// What files a program that is not evo's own may touch (Linux Landlock): rules made here, for a child to be.
#pragma once

#include <string>
#include <vector>

#include "evaluators/process/fd.hpp"

namespace evo::evaluators::process {

/// A ruleset under which a program can read and execute below `readable` and the system's own folders (/usr,
/// /lib, /bin), and can create, write and truncate nothing but /dev/null. No descriptor where the kernel has
/// no Landlock.
[[nodiscard]] Fd program_file_rules(const std::vector<std::string>& readable);
/// One under which it can read and execute everything, and create, write and remove below `writable` and /dev
/// alone. No descriptor where the kernel has no Landlock.
[[nodiscard]] Fd writing_rules(const std::vector<std::string>& writable);

}  // namespace evo::evaluators::process
