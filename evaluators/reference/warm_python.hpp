// A Python program that is asked for many cases without starting Python for each: a process imports what the
// program imports, once, and forks for every case. The child runs the program's text from its first line, as
// `python3 PROGRAM ARGUMENTS...` would.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/process/program_cage.hpp"

namespace evo::evaluators::reference {

/// Thread-safe. Processes start when they are needed and end with this.
class WarmPython {
 public:
  /// `command`: {"python3", "program.py", ...}, run in `folder`, in the cage.
  WarmPython(std::vector<std::string> command, std::filesystem::path folder,
             std::shared_ptr<const process::ProgramCage> cage);
  ~WarmPython();
  WarmPython(const WarmPython&) = delete;
  WarmPython& operator=(const WarmPython&) = delete;

  /// Whether `command` is a Python interpreter and a program's file, without options of the interpreter.
  [[nodiscard]] static bool takes(const std::vector<std::string>& command);

  /// Runs the program with these further arguments, for `limit` at most; nullopt where that came to nothing
  /// that ended with 0, for whatever reason: it then has to be run the plain way, and what that says counts.
  [[nodiscard]] std::optional<process::Captured> run(const std::vector<std::string>& further,
                                                     std::chrono::milliseconds limit);
  /// From now on run() comes to nothing at once: the program can be run, but not so.
  void give_up() { given_up_ = true; }

 private:
  struct Host;
  [[nodiscard]] std::unique_ptr<Host> take();  ///< nullptr: none is idle, and one may be started
  [[nodiscard]] std::unique_ptr<Host> start() const;
  void give_back(std::unique_ptr<Host> host);

  struct Lease;

  std::atomic<bool> given_up_ = false;
  std::vector<std::string> command_;
  std::filesystem::path folder_;
  std::shared_ptr<const process::ProgramCage> cage_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Host>> idle_;
  std::size_t lent_ = 0;
};

}  // namespace evo::evaluators::reference
