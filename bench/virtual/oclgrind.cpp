#include "bench/virtual/oclgrind.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace evo::bench {
namespace {

double child_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<double> oclgrind_seconds(const std::string& folder) {
  const double before = child_seconds();
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    if (chdir(folder.c_str()) != 0 || nothing < 0) _exit(127);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execlp("oclgrind-kernel", "oclgrind-kernel", "--data-races", "--num-threads", "1", "sgemm.sim", nullptr);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  return child_seconds() - before;
}

}  // namespace evo::bench
