// What nvcc must be told, for the comments of exported sources.
#pragma once

#include <string>

#include <fmt/format.h>

namespace evo::exporting {

/// nvcc's words for an architecture ("sm_89"). For one with a letter ("sm_90a") the short form builds the
/// plain one too, which has not its instructions.
[[nodiscard]] inline std::string nvcc_architecture(const std::string& arch) {
  if (!arch.ends_with('a')) return "-arch=" + arch;
  return fmt::format("-gencode arch=compute_{0},code=sm_{0}", arch.substr(arch.find('_') + 1));
}

}  // namespace evo::exporting
