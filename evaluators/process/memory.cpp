#include "evaluators/process/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace evo::evaluators::process {

std::int64_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t total = 0, resident = 0;
  if (!(file >> total >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t generous_memory() {
  const std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::max(bytes / 2, std::int64_t{8} << 30);
}

}  // namespace evo::evaluators::process
