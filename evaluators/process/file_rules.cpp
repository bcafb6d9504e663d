#include "evaluators/process/file_rules.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "evaluators/process/confine.hpp"

namespace evo::evaluators::process {
namespace {

constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t moving = std::uint64_t{1} << 13;      // LANDLOCK_ACCESS_FS_REFER, of version 2
constexpr std::uint64_t truncating = std::uint64_t{1} << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE, of version 3

void add_rule(const Fd& ruleset, const std::string& path, std::uint64_t access, std::uint64_t of_a_file) {
  const Fd handle(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!handle) return;
  landlock_path_beneath_attr rule{};
  rule.parent_fd = handle.get();
  rule.allowed_access = access;
  if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return;
  rule.allowed_access = of_a_file;  // a file takes no right over folders
  ::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

Fd writing_rules(const std::vector<std::string>& writable) {
  const int version = available_sandbox().landlock;
  std::uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                          LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM |
                          LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                          LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                          LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR;
  if (version >= 2) writing |= moving;
  if (version >= 3) writing |= truncating;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = writing;
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return ruleset;
  const std::uint64_t of_a_file = writing & (LANDLOCK_ACCESS_FS_WRITE_FILE | truncating);
  // A GPU's driver works through device files, and shares memory in /dev/shm.
  add_rule(ruleset, "/dev", writing, of_a_file);
  for (const std::string& path : writable) {
    if (!path.empty()) add_rule(ruleset, path, writing, of_a_file);
  }
  return ruleset;
}

Fd program_file_rules(const std::vector<std::string>& readable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs =
      reading | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
      LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
      LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE |
      LANDLOCK_ACCESS_FS_REMOVE_DIR | (available_sandbox().landlock >= 3 ? truncating : 0);
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return ruleset;
  std::vector<std::string> folders = readable;
  for (const char* folder : {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives",
                             "/etc/localtime", "/proc/self", "/proc/meminfo", "/proc/cpuinfo",
                             "/sys/devices/system/cpu", "/dev/zero", "/dev/urandom"})
    folders.emplace_back(folder);
  for (const std::string& folder : folders) {
    add_rule(ruleset, folder, reading, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE);
  }
  constexpr std::uint64_t both = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  add_rule(ruleset, "/dev/null", both, both);
  return ruleset;
}

}  // namespace evo::evaluators::process
