// What a compile worker may touch (Linux Landlock): the toolkit, libraries, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::evaluators::compile {

/// From here on this process and its threads to come can open files for reading below `readable` and the
/// system's library folders only, and can create or write none. False where the kernel has no Landlock
/// (before 5.13, or not enabled): the include scan is then the only protection.
[[nodiscard]] bool restrict_files(const std::vector<std::string>& readable);

/// The address space may grow by `bytes` from what it is now; 0 lifts the limit. Ignored under sanitizers,
/// whose shadow memory is larger than any sensible limit.
void limit_growth(std::int64_t bytes);

}  // namespace evo::evaluators::compile
