// NVIDIA's compute-sanitizer on the reproducer, where it, nvcc and a GPU are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace evo::diagnose {

struct SanitizerRun {
  std::vector<model::Evidence> evidence;  ///< sanitizer::parse_findings() of all tools
  std::vector<std::string> notes;  ///< why it did not run, or what it said when nothing could be read from it
};

/// Builds FOLDER/reproducer.cu and runs memcheck, racecheck, initcheck and synccheck on it, `seconds` each at
/// most. Tools are looked for in $CUDA_HOME/bin and on the path.
[[nodiscard]] SanitizerRun run_sanitizers(const std::filesystem::path& folder, const std::string& arch,
                                          int seconds);

}  // namespace evo::diagnose
