// A thread waits for the signals, so that stopping needs no async-signal-safe code.
#include "cli/signals.hpp"

#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::cli {

std::stop_token stop_on_signals(std::function<void(const std::string&)> tell) {
  std::stop_source source;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  // Blocked here and inherited by every later thread; only the waiter takes them.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::stop_token token = source.get_token();
  std::thread([set, source, tell = std::move(tell)]() mutable {
    int signal = 0;
    sigwait(&set, &signal);
    const std::string text = "evo: stopping after the trials in flight (again to abort)";
    if (tell)
      tell(text);
    else
      fmt::print(stderr, "\n{}\n", text);
    source.request_stop();
    // timeout(1) and some schedulers signal the process and then its group: that is one wish, not two.
    const timespec moment{1, 0};
    while (sigtimedwait(&set, nullptr, &moment) > 0) continue;
    sigwait(&set, &signal);
    ::_exit(static_cast<int>(model::ExitCode::interrupted));
  }).detach();
  return token;
}

}  // namespace evo::cli
