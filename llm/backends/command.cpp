#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>

#include "evaluators/process/spawn.hpp"
#include "llm/backends/backends.hpp"
#include "model/error.hpp"

extern char** environ;  // NOLINT

namespace evo::llm {
namespace {

namespace process = evaluators::process;

constexpr std::size_t most_reply_bytes = std::size_t{16} << 20;

/// "/usr/bin/env -u A -u B ... COMMAND": names only, so that no value stands on a command line.
std::vector<std::string> with_clean_environment(const model::LanguageModel& model) {
  std::vector<std::string> argv{"/usr/bin/env"};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::string name = text.substr(0, text.find('='));
    constexpr std::array<std::string_view, 5> kept{"PATH", "HOME", "LANG", "TMPDIR", "USER"};
    if (name.empty() || name == model.api_key_env || std::ranges::find(kept, name) != kept.end()) continue;
    argv.emplace_back("-u");
    argv.push_back(name);
  }
  argv.insert(argv.end(), model.command.begin(), model.command.end());
  return argv;
}

/// Holds back SIGPIPE of this thread, and takes away the one that a program that reads no input causes.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec now{};
    if (!was_pending_) (void)::sigtimedwait(&signal_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
  WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

/// False at the end of the stream.
bool drain_pipe(const process::Fd& from, std::string* output) {
  std::array<char, 16384> part{};
  while (true) {
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got > 0) {
      if (output != nullptr && output->size() < most_reply_bytes)
        output->append(part.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    return got < 0 && errno == EAGAIN;
  }
}

class CommandTransport final : public Transport {
 public:
  explicit CommandTransport(model::LanguageModel model) : model_(std::move(model)) {}

  Attempt attempt(const Request& request, Exchange& exchange) override {
    exchange.reply.clear();
    exchange.usage = {};
    std::string output;
    const int status = run(request.body, output);
    if (status == timed_out) {
      exchange.outcome = "timed_out";
    } else if (status != 0) {
      exchange.outcome = "command_failed";
      exchange.reply = output.substr(0, 2000);
    } else {
      const bool completion = output.find_first_not_of(" \t\r\n") != std::string::npos &&
                              output[output.find_first_not_of(" \t\r\n")] == '{' &&
                              output.find("\"choices\"") != std::string::npos;
      if (completion) {
        read_completion(output, exchange);
      } else {
        exchange.outcome = output.empty() ? "empty_reply" : "ok";
        exchange.reply = std::move(output);
      }
    }
    return {};
  }

 private:
  static constexpr int timed_out = -1;

  /// Exit code; 128 and more for a signal.
  [[nodiscard]] int run(std::string_view input, std::string& output) const {
    using Clock = std::chrono::steady_clock;
    process::Spawned child = process::spawn_process(with_clean_environment(model_), {});
    const auto end =
        Clock::now() + std::chrono::milliseconds(static_cast<long long>(model_.timeout_s * 1000));
    bool open_out = true, open_err = true, late = false;
    while (open_out || open_err) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      late = left <= 0;
      if (late) break;
      if (input.empty()) child.to_stdin.reset();
      std::array<pollfd, 3> wanted{pollfd{open_out ? child.from_stdout.get() : -1, POLLIN, 0},
                                   pollfd{open_err ? child.from_stderr.get() : -1, POLLIN, 0},
                                   pollfd{input.empty() ? -1 : child.to_stdin.get(), POLLOUT, 0}};
      ::poll(wanted.data(), wanted.size(), static_cast<int>(std::min<long long>(left, 1000)));
      if (wanted[2].revents != 0) {
        const WithoutBrokenPipe quiet;
        const ssize_t sent = ::write(child.to_stdin.get(), input.data(), input.size());
        if (sent > 0) {
          input.remove_prefix(static_cast<std::size_t>(sent));
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
          input = {};  // it does not read all: its own affair
        }
      }
      if (wanted[0].revents != 0) open_out = drain_pipe(child.from_stdout, &output);
      if (wanted[1].revents != 0) open_err = drain_pipe(child.from_stderr, nullptr);
    }
    int status = 0;
    pid_t ended = 0;
    while (!late) {
      ended = ::waitpid(child.pid, &status, WNOHANG);
      if (ended != 0 && !(ended < 0 && errno == EINTR)) break;
      late = Clock::now() >= end;
      ::poll(nullptr, 0, 5);
    }
    ::kill(-child.pid, SIGKILL);
    while (ended == 0 || (ended < 0 && errno == EINTR)) ended = ::waitpid(child.pid, &status, 0);
    if (late) return timed_out;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  model::LanguageModel model_;
};

}  // namespace

std::unique_ptr<Transport> make_command_transport(const model::LanguageModel& model) {
  return std::make_unique<CommandTransport>(model);
}

}  // namespace evo::llm
