// What the tests of evaluators/process start: one behaviour per first argument.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "evaluators/process/child.hpp"
#include "evaluators/process/confine.hpp"

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

/// "held" or "free", then one word for each thing that was tried: yes or no.
std::string try_to_leave(process::Confinement kind) {
  std::string report = process::deny_system_calls(kind) ? "held" : "free";
  const auto add = [&report](const char* what, bool possible) {
    report += std::string(" ") + what + "=" + (possible ? "yes" : "no");
  };
  const auto can_open = [](int domain) {
    const int descriptor = ::socket(domain, SOCK_STREAM, 0);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
  };
  add("internet", can_open(AF_INET));
  add("internet6", can_open(AF_INET6));
  add("local", can_open(AF_UNIX));
  const pid_t copy = ::fork();
  if (copy == 0) ::_exit(0);
  if (copy > 0) ::waitpid(copy, nullptr, 0);
  add("fork", copy >= 0);
  add("shell", std::system("true") == 0);
  bool ran = false;
  std::thread([&ran] { ran = true; }).join();
  add("thread", ran);
  char* const nothing[] = {nullptr};
  ::execve("/no/such/program", nothing, nothing);
  add("exec", errno == ENOENT);
  return report;
}

int confined(process::Confinement kind) {
  const bool told = process::read_stdin_frame() && process::write_stdout_frame(try_to_leave(kind));
  return told ? 0 : 1;
}

/// Uses CPU time until a limit ends it.
int spin() {
  process::limit_cpu(1);
  if (!process::read_stdin_frame()) return 1;
  volatile unsigned x = 1;
  while (true) x = x * 3 + 1;
}

/// What limits on files leave: whether the number of open ones is bounded, and whether one can be written.
int files(const std::string& path) {
  process::limit_files(32, 0);
  if (!process::read_stdin_frame()) return 1;
  std::vector<int> opened;
  for (int descriptor = 0; opened.size() < 1000; opened.push_back(descriptor)) {
    descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) break;
  }
  const bool bounded = opened.size() < 32;
  for (const int descriptor : opened) ::close(descriptor);
  ::signal(SIGXFSZ, SIG_IGN);
  const int target = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool wrote = target >= 0 && ::write(target, "x", 1) == 1;
  return process::write_stdout_frame(std::string(bounded ? "bounded" : "endless") +
                                     (wrote ? " wrote" : " refused"))
             ? 0
             : 1;
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
  if (mode == "confined-compiler") return confined(process::Confinement::compiler);
  if (mode == "confined-device") return confined(process::Confinement::device);
  if (mode == "spin-limited") return spin();
  if (mode == "files") return files(argc > 2 ? argv[2] : "");
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
