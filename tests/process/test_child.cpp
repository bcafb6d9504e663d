// What the tests of evaluators/process start: one behaviour per first argument.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "evaluators/process/child.hpp"

namespace process = evo::evaluators::process;

namespace {

int echo() {
  while (auto frame = process::read_stdin_frame()) {
    if (!process::write_stdout_frame(*frame)) return 1;
  }
  return 0;
}

/// Answers each frame with `count` frames before it reads the next: fills the pipe towards the parent.
int flood(std::size_t bytes) {
  const std::string answer(bytes, 'x');
  if (!process::write_stdout_frame(answer)) return 1;
  while (auto frame = process::read_stdin_frame()) {
    if (!process::write_stdout_frame(std::to_string(frame->size()))) return 1;
  }
  return 0;
}

int print_between_frames() {
  while (auto frame = process::read_stdin_frame()) {
    process::claim_stdout();
    std::printf("a library prints\n");
    std::fflush(stdout);
    if (!process::write_stdout_frame(*frame)) return 1;
  }
  return 0;
}

int allocate(std::size_t megabytes) {
  while (auto frame = process::read_stdin_frame()) {
    std::vector<char> block;
    try {
      block.assign(megabytes << 20, 'm');
    } catch (const std::bad_alloc&) {
      if (!process::write_stdout_frame("bad_alloc")) return 1;
      continue;
    }
    if (!process::write_stdout_frame(block.size() > 0 ? "allocated" : "empty")) return 1;
  }
  return 0;
}

int hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Starts a hanging child of its own, tells its process id, and waits.
int parent_of_hanging(const char* self) {
  auto child = process::Child::spawn({self, "hang"}, {});
  if (!process::write_stdout_frame(std::to_string(child.pid()))) return 1;
  return hang();
}

/// Leaves a process of its own group behind and ends.
int orphan() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(0), ::close(1), ::close(2);
    return hang();
  }
  return process::write_stdout_frame(std::to_string(pid)) ? 0 : 1;
}

int garbage() {
  std::cout << std::string(64, '\xff') << std::flush;
  return hang();
}

int open_descriptors() {
  std::string found;
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) found += std::to_string(fd) + " ";
  }
  return process::write_stdout_frame(found) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const auto number = [&] {
    return static_cast<std::size_t>(std::strtoull(argc > 2 ? argv[2] : "0", nullptr, 10));
  };
  if (mode == "echo") return echo();
  if (mode == "flood") return flood(number());
  if (mode == "print") return print_between_frames();
  if (mode == "allocate") return allocate(number());
  if (mode == "hang") return hang();
  if (mode == "parent") return parent_of_hanging(argv[0]);
  if (mode == "orphan") return orphan();
  if (mode == "garbage") return garbage();
  if (mode == "descriptors") return open_descriptors();
  if (mode == "exit") {
    std::cerr << "last words" << std::endl;
    return static_cast<int>(number());
  }
  if (mode == "abort") std::abort();
  if (mode == "noise") {
    for (std::size_t i = 0; i < number(); ++i) std::cerr << "line " << i << " of noise on stderr\n";
    return echo();
  }
  if (mode == "spin") {
    while (std::chrono::steady_clock::now().time_since_epoch().count() != 0) {
    }
  }
  return 99;
}
