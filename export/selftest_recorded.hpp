// A self-test against what the problem's oracle answered when the kernel was exported.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

struct Recordings {
  std::map<std::string, std::string> files;  ///< one for each answer, binary
  std::string members;                       ///< of struct Case
  std::string table;                         ///< of its values
};

/// Each file holds the given arrays in the problem's order, byte by byte, and then the outputs, in double and
/// row-major. Error: an answer whose workload is none of the cases, or whose arrays are of another size.
[[nodiscard]] model::Expected<Recordings> write_recordings(const ExportRequest& request, const Names& names,
                                                           const std::vector<model::Case>& cases);

/// What reads them, behind selftest_harness().
[[nodiscard]] const char* recording_harness();

}  // namespace evo::exporting
