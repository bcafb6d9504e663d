// A sandbox for a worker process, put up by itself once it has opened what it needs.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace evo::evaluators::process {

/// What this kernel offers, asked without changing anything.
struct Sandbox {
  int landlock = 0;      ///< ABI version; 0 = none
  bool seccomp = false;  ///< system call filters
};
[[nodiscard]] Sandbox available_sandbox();
/// "Landlock 5, seccomp", "seccomp", or "none".
[[nodiscard]] std::string describe(const Sandbox& sandbox);

enum class Confinement : std::uint8_t {
  compiler,  ///< no socket at all, no program, no process, no look into another process
  device,    ///< as above, but local (AF_UNIX) sockets stay, which a GPU's driver talks to its daemons with
};

/// From here on this process and its threads get EPERM for: sockets (of the internet, or any), execve, fork
/// and clone without CLONE_THREAD, ptrace and process_vm_*, bpf, io_uring, mounts and namespaces. Threads may
/// still be started. False where the kernel has no seccomp filters, the machine is neither x86-64 nor arm64,
/// or this is a build with sanitizers.
[[nodiscard]] bool deny_system_calls(Confinement kind);

/// For a program of the user's that is about to be executed (ChildLimits::call_filter): it may start others,
/// but gets EPERM for every socket and for what the workers may not do besides. Empty where filters do not
/// work. `local_sockets`: those of one machine (AF_UNIX) stay.
[[nodiscard]] std::vector<sock_filter> program_call_filter(bool local_sockets = false);

/// Soft limits that no honest compile or device job meets: open files; bytes of a file that is written (0 is
/// none at all: the compiler writes pipes only).
void limit_files(std::int64_t open_files, std::int64_t file_bytes);

/// This process gets SIGXCPU when it has used `seconds` more of CPU time, summed over its threads; 0 lifts
/// the limit. A second limit beside the parent's clock.
void limit_cpu(double seconds);

}  // namespace evo::evaluators::process
