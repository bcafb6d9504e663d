#include "evaluators/compile/sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "evaluators/process/fd.hpp"

namespace evo::evaluators::compile {
namespace {

constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

#if defined(EVO_SANITIZE_ADDRESS) || defined(EVO_SANITIZE_THREAD)
constexpr bool address_space_is_shadowed = true;
#else
constexpr bool address_space_is_shadowed = false;
#endif

std::int64_t address_space_bytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

bool restrict_files(const std::vector<std::string>& readable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs =
      reading | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK |
      LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR;
  const process::Fd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return false;

  std::vector<std::string> folders = readable;
  // Libraries that NVRTC opens by name, and what the C library and the allocator look at.
  for (const char* folder : {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/proc/self",
                             "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/sys/devices/system/cpu",
                             "/sys/devices/system/node", "/dev/null", "/dev/zero", "/dev/urandom"}) {
    folders.emplace_back(folder);
  }
  for (const auto& folder : folders) {
    const process::Fd handle(::open(folder.c_str(), O_PATH | O_CLOEXEC));
    if (!handle) continue;
    landlock_path_beneath_attr rule{};
    rule.parent_fd = handle.get();
    rule.allowed_access = reading;
    if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;  // a file takes no right over folders
      ::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

void limit_growth(std::int64_t bytes) {
  if (address_space_is_shadowed) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (bytes > 0) {
    const auto wanted = static_cast<rlim_t>(address_space_bytes() + bytes);
    if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max) limit.rlim_cur = wanted;
  }
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace evo::evaluators::compile
