// Runs a program to its end, or to a limit, and keeps what it printed.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace evo::evaluators::process {

struct Captured {
  std::optional<int> exit_code;  ///< nullopt: killed, by a signal or by the limit
  bool timed_out = false;
  bool stopped = false;  ///< by the stop token
  std::string output;    ///< stdout and stderr, in the order in which they came; the first `most_bytes`
};

/// Runs `argv` (argv[0] is a path) in `folder` ("" = this one). After `limit`, or within a second
/// of a stop, the program and all of its process group are killed; what came until then is kept. Throws
/// model::Exception(environment) if it cannot be started.
[[nodiscard]] Captured run_captured(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                                    std::size_t most_bytes = std::size_t{4} << 20,
                                    const std::filesystem::path& folder = {},
                                    const std::stop_token& stop = {});

/// `name` in $CUDA_HOME/bin, in `more` and then on the path; nullopt if no executable is there.
[[nodiscard]] std::optional<std::filesystem::path> find_program(
    const std::string& name, const std::vector<std::filesystem::path>& more = {});

}  // namespace evo::evaluators::process
