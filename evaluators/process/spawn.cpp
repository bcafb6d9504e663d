#include "evaluators/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "model/error.hpp"

namespace evo::evaluators::process {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw model::Exception(model::ExitCode::environment, fmt::format("{}: {}", what, std::strerror(error)));
}

struct Pipe {
  Fd read, write;
};

/// Both ends above 2, so that dup2 in the child never meets its own source.
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot create a pipe for a worker process", errno);
  Pipe pipe{Fd(ends[0]), Fd(ends[1])};
  for (Fd* end : {&pipe.read, &pipe.write}) {
    if (end->get() > 2) continue;
    const int moved = ::fcntl(end->get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0) fail("cannot create a pipe for a worker process", errno);
    *end = Fd(moved);
  }
  return pipe;
}

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) fail("cannot set up a pipe", errno);
}

bool limit(__rlimit_resource resource, std::int64_t value) {
  if (value <= 0) return true;
  const rlimit both{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  return ::setrlimit(resource, &both) == 0;
}

struct ChildSide {
  int stdin_fd, stdout_fd, stderr_fd, report_fd;
  pid_t parent;
};

/// Runs between fork and exec: async-signal-safe calls only. Reports errno through `report_fd`.
[[noreturn]] void become(const ChildSide& side, char* const* argv, const ChildLimits& limits) {
  const auto give_up = [&] {
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(side.report_fd, &error, sizeof error);
    ::_exit(127);
  };
  if (::setpgid(0, 0) != 0) give_up();
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
  if (::getppid() != side.parent) ::_exit(127);  // it died before the line above took effect

  if (::dup2(side.stdin_fd, 0) < 0 || ::dup2(side.stdout_fd, 1) < 0 || ::dup2(side.stderr_fd, 2) < 0)
    give_up();
  // Descriptors that someone opened without O_CLOEXEC must not live on in a worker (older kernels: best
  // effort).
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);

  if (!limit(RLIMIT_AS, limits.memory_bytes) || !limit(RLIMIT_CPU, limits.cpu_seconds) ||
      !limit(RLIMIT_FSIZE, limits.file_bytes)) {
    give_up();
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // A worker, not the run, is what the kernel should take when memory ends.
  if (const int oom = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); oom >= 0) {
    [[maybe_unused]] const auto written = ::write(oom, "500", 3);
    ::close(oom);
  }

  if (limits.folder != nullptr && ::chdir(limits.folder) != 0) give_up();
  const bool sandbox = limits.file_rules >= 0 || limits.call_filter != nullptr;
  if (sandbox && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up();
  if (limits.file_rules >= 0 && ::syscall(SYS_landlock_restrict_self, limits.file_rules, 0) != 0) give_up();
  if (limits.call_filter != nullptr &&
      ::syscall(SYS_seccomp, 1U /* SECCOMP_SET_MODE_FILTER */, 0, limits.call_filter) != 0)
    give_up();

  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(argv[0], argv);
  give_up();
  ::_exit(127);
}

/// Blocks every signal while it lives, so that no handler of the parent runs in the child.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Spawned spawn_process(const std::vector<std::string>& argv, const ChildLimits& limits) {
  if (argv.empty())
    throw model::Exception(model::ExitCode::environment, "cannot start a worker: no program given");
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  const ChildSide side{in.read.get(), out.write.get(), err.write.get(), report.write.get(), ::getpid()};

  pid_t pid = -1;
  {
    const BlockedSignals blocked;
    pid = ::fork();
    if (pid == 0) become(side, arguments.data(), limits);
  }
  if (pid < 0) fail(fmt::format("cannot start {}", argv[0]), errno);
  in.read.reset();
  out.write.reset();
  err.write.reset();
  report.write.reset();

  // End of file here means that exec succeeded (the descriptor closed) or that the child is dead.
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.read.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    fail(fmt::format("cannot start {}", argv[0]), error);
  }

  Spawned spawned{pid, std::move(in.write), std::move(out.read), std::move(err.read)};
  set_nonblocking(spawned.to_stdin.get());
  set_nonblocking(spawned.from_stdout.get());
  set_nonblocking(spawned.from_stderr.get());
  // Frames of some hundred kilobytes then pass in one turn; best effort (pipe-user-pages-soft may forbid it).
  for (const int fd : {spawned.to_stdin.get(), spawned.from_stdout.get()}) ::fcntl(fd, F_SETPIPE_SZ, 1 << 20);
  return spawned;
}

}  // namespace evo::evaluators::process
