#include "report/run_view.hpp"

#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>

#include "report/run_reader.hpp"
#include "session/variants.hpp"

namespace evo::report {

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::finished:
      return "finished";
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
  }
  return "?";
}

const engine::TrialRecord* RunView::champion() const {
  return session::find_champion(ledger.trials, ledger.events);
}

const engine::TrialRecord* RunView::baseline() const {
  const bool proven =
      !ledger.trials.empty() && ledger.trials.front().index == 0 && ledger.trials.front().correct();
  return proven ? &ledger.trials.front() : nullptr;
}

bool is_held(const std::filesystem::path& folder) {
  // To try the lock would take it for a moment, in which a run could not start.
  struct stat status {};
  if (::stat((folder / "lock").c_str(), &status) != 0) return false;
  std::ifstream locks("/proc/locks");
  const std::string inode = fmt::format(":{}", status.st_ino);
  for (std::string line; std::getline(locks, line);) {
    if (line.find("FLOCK") == std::string::npos) continue;
    // "1: FLOCK  ADVISORY  WRITE 4242 08:01:1234 0 EOF"
    const std::size_t at = line.find(inode + " ");
    if (at != std::string::npos) return true;
  }
  return false;
}

RunView read_run(const std::string& path, const Reading& how) {
  RunReader reader(path, how);
  return std::move(reader.read());
}

}  // namespace evo::report
