#include "evaluators/process/child.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <exception>
#include <future>
#include <mutex>
#include <thread>

#include "evaluators/process/spawn.hpp"
#include "model/error.hpp"

namespace evo::evaluators::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t header_bytes = 8;
constexpr std::size_t stderr_kept = std::size_t{64} << 10;
constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

/// A write to a closed pipe must be an error of that write, not a signal to the whole program, and the
/// program's own disposition of SIGPIPE is not ours to change: block it here and take the one we caused.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigpending(&pending);
    already_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeGuard() {
    if (!already_pending_) {
      const timespec now{0, 0};
      while (::sigtimedwait(&sigpipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t sigpipe_{}, before_{};
  bool already_pending_ = false;
};

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

std::uint64_t little_endian(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = header_bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

/// Owns one thread a child. It starts the child and stays until the child is gone, because PR_SET_PDEATHSIG
/// fires when the thread that forked ends; meanwhile it drains stderr.
struct Child::State {
  pid_t pid = -1;
  std::optional<int> ended;
  Fd to_stdin, from_stdout, wake;
  std::string inbox;  ///< bytes of stdout not yet handed out
  bool input_broken = false, output_closed = false;

  mutable std::mutex mutex;
  mutable std::condition_variable stderr_done;
  std::string stderr_tail;
  bool stderr_closed = false;
  std::thread keeper;

  ~State() {
    terminate();
    if (keeper.joinable()) {
      const std::uint64_t one = 1;
      while (::write(wake.get(), &one, sizeof one) < 0 && errno == EINTR) {
      }
      keeper.join();
    }
  }

  void keep(const std::vector<std::string>& argv, const ChildLimits& limits, std::promise<void> started);
  void drain(Fd& from_stderr);
  bool pump(Clock::time_point deadline, std::string_view* outgoing);
  void receive();
  void reap(bool wait);
  void terminate();
};

void Child::State::keep(const std::vector<std::string>& argv, const ChildLimits& limits,
                        std::promise<void> started) {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  Fd from_stderr;
  try {
    Spawned spawned = spawn_process(argv, limits);
    pid = spawned.pid;
    to_stdin = std::move(spawned.to_stdin);
    from_stdout = std::move(spawned.from_stdout);
    from_stderr = std::move(spawned.from_stderr);
  } catch (...) {
    started.set_exception(std::current_exception());
    return;
  }
  started.set_value();  // spawn() returns: argv and limits are gone from here on
  drain(from_stderr);
}

void Child::State::drain(Fd& from_stderr) {
  std::string chunk(std::size_t{16} << 10, '\0');
  pollfd watched[2] = {{wake.get(), POLLIN, 0}, {from_stderr.get(), POLLIN, 0}};
  while (true) {
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) break;
    if (watched[1].revents != 0) {
      const ssize_t got = ::read(watched[1].fd, chunk.data(), chunk.size());
      const std::lock_guard lock(mutex);
      if (got > 0) {
        stderr_tail.append(chunk.data(), static_cast<std::size_t>(got));
        if (stderr_tail.size() > stderr_kept) stderr_tail.erase(0, stderr_tail.size() - stderr_kept);
      } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        watched[1].fd = -1;  // poll skips it
        stderr_closed = true;
        stderr_done.notify_all();
      }
      continue;  // what is left in the pipe comes before a wake
    }
    if (watched[0].revents != 0) break;
  }
  const std::lock_guard lock(mutex);
  stderr_closed = true;
  stderr_done.notify_all();
}

/// Waits once and moves bytes both ways. False when `deadline` has passed. `outgoing` may be null.
bool Child::State::pump(Clock::time_point deadline, std::string_view* outgoing) {
  pollfd watched[2] = {{output_closed ? -1 : from_stdout.get(), POLLIN, 0},
                       {outgoing != nullptr ? to_stdin.get() : -1, POLLOUT, 0}};
  const int ready = ::poll(watched, 2, milliseconds_until(deadline));
  if (ready < 0) return errno == EINTR;
  if (ready == 0) return Clock::now() < deadline;
  if (watched[0].revents != 0) receive();
  if (watched[1].revents != 0) {
    const SigpipeGuard guard;
    const ssize_t put = ::write(watched[1].fd, outgoing->data(), outgoing->size());
    if (put > 0) {
      outgoing->remove_prefix(static_cast<std::size_t>(put));
    } else if (put < 0 && errno != EINTR && errno != EAGAIN) {
      input_broken = true;
    }
  }
  return true;
}

void Child::State::receive() {
  const std::size_t before = inbox.size();
  inbox.resize(before + chunk_bytes);
  const ssize_t got = ::read(from_stdout.get(), inbox.data() + before, chunk_bytes);
  inbox.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) output_closed = true;
}

/// Notes the child's end. What it left in its group is killed first: while the child is unreaped its group id
/// cannot belong to anyone else.
void Child::State::reap(bool wait) {
  if (ended || pid < 0) return;
  siginfo_t info{};
  int result = 0;
  do {
    info.si_pid = 0;
    result = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG));
  } while (result < 0 && errno == EINTR);
  if (result == 0 && info.si_pid == 0) return;
  ::kill(-pid, SIGKILL);
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped != pid) {
    ended = -SIGKILL;  // someone ignores SIGCHLD and the kernel reaped it: the status is lost
  } else {
    ended = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
}

void Child::State::terminate() {
  reap(false);
  if (ended || pid < 0) return;
  ::kill(-pid, SIGKILL);
  reap(true);
}

Child::Child(std::unique_ptr<State> state) : state_(std::move(state)) {}
Child::~Child() = default;
Child::Child(Child&& other) noexcept = default;
Child& Child::operator=(Child&& other) noexcept = default;

Child Child::spawn(const std::vector<std::string>& argv, const ChildLimits& limits) {
  auto state = std::make_unique<State>();
  state->wake = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!state->wake) {
    throw model::Exception(model::ExitCode::environment,
                           std::string("cannot start a worker process: ") + std::strerror(errno));
  }
  std::promise<void> started;
  auto ready = started.get_future();
  state->keeper = std::thread([&argv, &limits, raw = state.get(), promise = std::move(started)]() mutable {
    raw->keep(argv, limits, std::move(promise));
  });
  ready.get();
  return Child(std::move(state));
}

bool Child::write_frame(std::string_view bytes, std::chrono::milliseconds timeout) {
  State& state = *state_;
  std::string header(header_bytes, '\0');
  for (std::size_t i = 0; i < header_bytes; ++i) {
    header[i] = static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i) & 0xff);
  }
  const auto deadline = Clock::now() + timeout;
  for (std::string_view part : {std::string_view(header), bytes}) {
    while (!part.empty()) {
      if (state.input_broken || state.output_closed) return false;
      if (!state.pump(deadline, &part)) {
        state.input_broken = true;  // half a frame is in the pipe
        return false;
      }
    }
  }
  return !state.input_broken;
}

ReadResult Child::read_frame(std::chrono::milliseconds timeout) {
  State& state = *state_;
  const auto deadline = Clock::now() + timeout;
  while (true) {
    if (state.inbox.size() >= header_bytes) {
      const std::uint64_t length = little_endian(state.inbox.data());
      if (length > max_frame_bytes) return {ReadStatus::closed, {}};
      const std::size_t end = header_bytes + static_cast<std::size_t>(length);
      if (state.inbox.size() >= end) {
        std::string rest = state.inbox.substr(end);
        state.inbox.resize(end);
        state.inbox.erase(0, header_bytes);
        return {ReadStatus::ok, std::exchange(state.inbox, std::move(rest))};
      }
    }
    if (state.output_closed) return {ReadStatus::closed, {}};
    if (!state.pump(deadline, nullptr)) return {ReadStatus::timeout, {}};
  }
}

bool Child::alive() {
  state_->reap(false);
  return !state_->ended;
}

void Child::kill() {
  state_->terminate();
}

std::optional<int> Child::exit_status() {
  state_->reap(false);
  return state_->ended;
}

std::string Child::captured_stderr() const {
  std::unique_lock lock(state_->mutex);
  // Of a child that has ended, the last words may still be on their way through the pipe.
  if (state_->ended) {
    state_->stderr_done.wait_for(lock, std::chrono::milliseconds(500), [&] { return state_->stderr_closed; });
  }
  return state_->stderr_tail;
}

pid_t Child::pid() const {
  return state_->pid;
}

}  // namespace evo::evaluators::process
