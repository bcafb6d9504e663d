#include "evaluators/process/confine.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace evo::evaluators::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_arch = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_arch = 0;
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitizer_needs_processes = true;  // its leak check clones and traces at exit
#else
constexpr bool sanitizer_needs_processes = false;
#endif

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t deny = SECCOMP_RET_ERRNO | EPERM;
/// glibc then takes clone(), whose flags a filter can see; those of clone3() lie in memory.
constexpr std::uint32_t absent = SECCOMP_RET_ERRNO | ENOSYS;

constexpr std::array forbidden_calls{
    SYS_execve,        SYS_execveat,       SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_bpf,           SYS_io_uring_setup, SYS_mount,  SYS_umount2,          SYS_unshare,
    SYS_setns,         SYS_pivot_root,     SYS_chroot, SYS_perf_event_open,  SYS_keyctl,
    SYS_add_key,       SYS_kexec_load,     SYS_reboot, SYS_init_module,      SYS_finit_module,
    SYS_delete_module, SYS_userfaultfd,
#ifdef SYS_fork
    SYS_fork,          SYS_vfork,
#endif
};

/// A classic BPF program, put together from a few phrases.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    // Calls of another architecture (32 bits) have other numbers.
    skip_if_equal(this_arch, 1);
    answer(deny);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    statement(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1);  // the x32 numbers
    answer(deny);
#endif
  }
  void forbid(long call, std::uint32_t with = deny) {
    skip_unless_equal(static_cast<std::uint32_t>(call), 1);
    answer(with);
  }
  /// Forbids `call` unless its first argument has all bits of `bits`.
  void require_flags(long call, std::uint32_t bits) {
    skip_unless_equal(static_cast<std::uint32_t>(call), 5);
    load(first_argument);
    statement(BPF_ALU | BPF_AND | BPF_K, bits);
    skip_if_equal(bits, 1);
    answer(deny);
    answer(allow);
  }
  /// Forbids `call` unless its first argument is `value`.
  void require_argument(long call, std::uint32_t value) {
    skip_unless_equal(static_cast<std::uint32_t>(call), 4);
    load(first_argument);
    skip_if_equal(value, 1);
    answer(deny);
    answer(allow);
  }
  [[nodiscard]] std::vector<sock_filter> take() {
    answer(allow);
    return std::move(code_);
  }
  [[nodiscard]] bool install() {
    answer(allow);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

 private:
  static constexpr std::uint32_t first_argument =
      offsetof(seccomp_data, args);  // the low half: little endian

  void statement(unsigned code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  void load(std::size_t offset) {
    statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void skip_if_equal(std::uint32_t value, std::uint8_t count) {
    statement(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0);
  }
  void skip_unless_equal(std::uint32_t value, std::uint8_t count) {
    statement(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }
  void answer(std::uint32_t with) {
    statement(BPF_RET | BPF_K, with);
  }

  std::vector<sock_filter> code_;
};

void lower(__rlimit_resource resource, rlim_t value) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
  limit.rlim_cur = value;
  ::setrlimit(resource, &limit);
}

}  // namespace

Sandbox available_sandbox() {
  Sandbox sandbox;
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, std::size_t{0}, LANDLOCK_CREATE_RULESET_VERSION);
  sandbox.landlock = version > 0 ? static_cast<int>(version) : 0;
  std::uint32_t action = SECCOMP_RET_ERRNO;
  sandbox.seccomp = this_arch != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  return sandbox;
}

std::string describe(const Sandbox& sandbox) {
  if (sandbox.landlock > 0 && sandbox.seccomp) return fmt::format("Landlock {}, seccomp", sandbox.landlock);
  if (sandbox.landlock > 0) return fmt::format("Landlock {}", sandbox.landlock);
  return sandbox.seccomp ? "seccomp" : "none";
}

bool deny_system_calls(Confinement kind) {
  if (this_arch == 0 || sanitizer_needs_processes) return false;
  Filter filter;
  for (const long call : forbidden_calls) filter.forbid(call);
  filter.forbid(SYS_clone3, absent);
  if (kind == Confinement::compiler) {
    filter.forbid(SYS_socket);
    filter.forbid(SYS_socketpair);
  } else {
    filter.require_argument(SYS_socket, AF_UNIX);
  }
  filter.require_flags(SYS_clone, CLONE_THREAD);
  return filter.install();
}

std::vector<sock_filter> program_call_filter(bool local_sockets) {
  if (this_arch == 0 || sanitizer_needs_processes) return {};
  Filter filter;
  const std::array starting{std::int64_t{SYS_execve}, std::int64_t{SYS_execveat},
#ifdef SYS_fork
                            std::int64_t{SYS_fork}, std::int64_t{SYS_vfork}
#endif
  };
  for (const long call : forbidden_calls) {
    if (std::find(starting.begin(), starting.end(), call) == starting.end()) filter.forbid(call);
  }
  if (local_sockets) {
    filter.require_argument(SYS_socket, AF_UNIX);
  } else {
    filter.forbid(SYS_socket);
    filter.forbid(SYS_socketpair);
  }
  return filter.take();
}

void limit_files(std::int64_t open_files, std::int64_t file_bytes) {
  lower(RLIMIT_NOFILE, static_cast<rlim_t>(open_files));
  lower(RLIMIT_FSIZE, static_cast<rlim_t>(file_bytes));
}

void limit_cpu(double seconds) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (seconds > 0) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const double spent = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
    const auto wanted = static_cast<rlim_t>(std::ceil(spent + seconds));
    if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max) limit.rlim_cur = wanted;
  }
  ::setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace evo::evaluators::process
