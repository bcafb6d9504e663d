#include "evaluators/process/capture.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "evaluators/process/program_cage.hpp"
#include "evaluators/process/spawn.hpp"

namespace evo::evaluators::process {
namespace {

using Clock = std::chrono::steady_clock;

/// Appends what is there; false at the end of the stream.
bool drain(const Fd& from, std::string& output, std::size_t most) {
  std::array<char, 16384> part{};
  while (true) {
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got > 0) {
      const std::size_t room = output.size() < most ? most - output.size() : 0;
      output.append(part.data(), std::min(room, static_cast<std::size_t>(got)));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    return got < 0 && errno == EAGAIN;
  }
}

Captured run_to_the_end(std::vector<std::string> command, const ChildLimits& limits,
                        std::chrono::milliseconds limit, std::size_t most_bytes,
                        const std::filesystem::path& folder, const std::stop_token& stop) {
  if (!folder.empty()) {
    // env(1) changes the folder and becomes the program.
    const std::vector<std::string> change{"/usr/bin/env", "--chdir=" + folder.string()};
    command.insert(command.begin(), change.begin(), change.end());
  }
  Spawned child = spawn_process(command, limits);
  child.to_stdin.reset();
  Captured captured;
  const auto end = Clock::now() + limit;
  bool open_out = true, open_err = true;
  while (open_out || open_err) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    captured.timed_out = left <= 0;
    captured.stopped = stop.stop_requested();
    if (captured.timed_out || captured.stopped) break;
    std::array<pollfd, 2> wanted{pollfd{open_out ? child.from_stdout.get() : -1, POLLIN, 0},
                                 pollfd{open_err ? child.from_stderr.get() : -1, POLLIN, 0}};
    ::poll(wanted.data(), wanted.size(), static_cast<int>(std::min<long long>(left, 1000)));
    if (wanted[0].revents != 0) open_out = drain(child.from_stdout, captured.output, most_bytes);
    if (wanted[1].revents != 0) open_err = drain(child.from_stderr, captured.output, most_bytes);
  }
  int status = 0;
  pid_t ended = 0;
  while (!captured.timed_out && !captured.stopped) {
    ended = ::waitpid(child.pid, &status, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) break;
    if (Clock::now() >= end) captured.timed_out = true;
    ::poll(nullptr, 0, 5);
  }
  // The group outlives its leader where a program left others behind.
  ::kill(-child.pid, SIGKILL);
  while (ended == 0 || (ended < 0 && errno == EINTR)) ended = ::waitpid(child.pid, &status, 0);
  if (!captured.timed_out && !captured.stopped && WIFEXITED(status)) captured.exit_code = WEXITSTATUS(status);
  return captured;
}

}  // namespace

Captured run_captured(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                      std::size_t most_bytes, const std::filesystem::path& folder,
                      const std::stop_token& stop) {
  return run_to_the_end(argv, {}, limit, most_bytes, folder, stop);
}

Captured run_caged(const ProgramCage& cage, const std::vector<std::string>& argv,
                   std::chrono::milliseconds limit, std::size_t most_bytes,
                   const std::filesystem::path& folder) {
  return run_to_the_end(cage.command(argv), cage.limits(), limit, most_bytes, folder, {});
}

std::optional<std::filesystem::path> find_program(const std::string& name,
                                                  const std::vector<std::filesystem::path>& more) {
  std::vector<std::filesystem::path> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::filesystem::path(home) / "bin");
  folders.insert(folders.end(), more.begin(), more.end());
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path program = folder / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0)
      return program;
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::process
