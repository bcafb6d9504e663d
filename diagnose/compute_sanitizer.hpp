// NVIDIA's compute-sanitizer on the reproducer, where it, nvcc and a GPU are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace evo::diagnose {

/// Findings in the tool's output, in the words of the virtual device: out_of_bounds, misaligned, race_shared,
/// uninitialized, barrier_divergence. Each (kind, file, line) once; detail "tool".
[[nodiscard]] std::vector<model::Evidence> parse_sanitizer(const std::string& output,
                                                           const std::string& tool);

struct SanitizerRun {
  std::vector<model::Evidence> evidence;
  std::vector<std::string> notes;  ///< why it did not run, or what it said when nothing could be read from it
};

/// Builds FOLDER/reproducer.cu and runs memcheck, racecheck, initcheck and synccheck on it, `seconds` each at
/// most. Tools are looked for in $CUDA_HOME/bin and on the path.
[[nodiscard]] SanitizerRun run_sanitizers(const std::filesystem::path& folder, const std::string& arch,
                                          int seconds);

}  // namespace evo::diagnose
