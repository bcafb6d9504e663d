// Runs NVIDIA's compute-sanitizer on the launches of a device job.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::sanitizer {

/// One tool's run.
struct ToolRun {
  enum class State : std::uint8_t {
    clean,       ///< it came to its end and reported nothing
    findings,    ///< it reported something, whether or not that refuses the kernel
    incomplete,  ///< its time ended; what it saw until then is in `findings`
    not_run,     ///< nothing was looked at
  };
  std::string tool;  ///< memcheck, racecheck, initcheck, synccheck
  State state = State::not_run;
  std::string reason;                     ///< of incomplete and not_run
  std::vector<std::string> cases;         ///< whose launch the tool saw end
  std::size_t planned = 0;                ///< cases of the job
  std::vector<model::Evidence> findings;  ///< with the detail "excuse" where a finding does not refuse
  double seconds = 0;
};
[[nodiscard]] std::string_view name_of(ToolRun::State state);

struct Report {
  std::string program;  ///< path of compute-sanitizer; empty if none of the tools was started
  std::string reason;   ///< why none was
  std::vector<ToolRun> runs;
  std::vector<model::Evidence> blind_spots;

  /// sanitizer_fail with the first refusing finding's kind as its reason and all refusing findings as
  /// evidence.
  [[nodiscard]] std::optional<model::Failure> failure() const;
  /// A line a tool, for people.
  [[nodiscard]] std::string text() const;
};

struct Settings {
  /// A program that takes the name of a file with the job as its last argument, makes every case's launch
  /// once, and says "launched NAME" on a line of its own after each; see worker/launch_main.hpp.
  std::vector<std::string> launcher;
  std::chrono::milliseconds timeout{std::chrono::minutes(5)};  ///< each tool
  std::stop_token stop{};  ///< ends the tool that runs, and starts no other
};

/// The program that $EVO_COMPUTE_SANITIZER names, whether or not it is there: who names one wants to hear
/// that it cannot be started. Otherwise compute-sanitizer in $CUDA_HOME, /usr/local/cuda or on the path;
/// nullopt if it is nowhere.
[[nodiscard]] std::optional<std::filesystem::path> find_compute_sanitizer();

/// Runs memcheck, racecheck, initcheck and synccheck one after the other. Nothing that a tool does is an
/// error here: a report says what happened. Throws model::Exception(environment) when no file can be written.
[[nodiscard]] Report run_compute_sanitizer(const gates::DeviceJob& job, const Settings& settings);

}  // namespace evo::evaluators::sanitizer
