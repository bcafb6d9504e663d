// compute-sanitizer on a folder of launches, many variants to a process.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace evo::bench {

struct ToolFindings {
  std::vector<model::Evidence> evidence;  ///< parse_findings()'s, detail "tool"
  std::vector<std::string> trouble;       ///< "memcheck: the launch never ends"
};

/// Splits what a tool and the launcher printed: each report goes to the variant whose kernel it names
/// (..._vNNN), else to the one that was launched last. Variants that began and neither ended nor failed get
/// `unfinished` as their trouble. Returns the last variant that began, -1 where none did.
int attribute(const std::string& output, const std::string& tool, const std::string& unfinished,
              std::map<int, ToolFindings>& findings);

struct SanitizerOptions {
  std::string sanitizer;              ///< compute-sanitizer's path
  std::vector<std::string> launcher;  ///< command that takes FOLDER FIRST LAST
  int batch = 20;                     ///< variants to a process
  int processes = 8;                  ///< at a time, on one GPU
  int seconds = 120;                  ///< to a process; what it did not reach is taken up by another
};

/// Runs memcheck, racecheck, initcheck and synccheck on variants 0 .. count - 1 of the folder.
[[nodiscard]] std::map<int, ToolFindings> run_tools(const std::filesystem::path& folder, int count,
                                                    const SanitizerOptions& options);

}  // namespace evo::bench
