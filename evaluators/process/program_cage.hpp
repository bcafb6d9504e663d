// Where a program of the user's that only computes runs: it reads what it likes, and writes into few folders.
#pragma once

#include <linux/filter.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "evaluators/process/capture.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/process/fd.hpp"

namespace evo::evaluators::process {

/// No network, nothing of what the workers may not do, and no writing but below `folder`, `own` (the
/// program's;
/// "": none), /dev and to what it inherits (Landlock and seccomp; what the kernel lacks is not enforced).
/// Must outlive the programs in it.
class ProgramCage {
 public:
  explicit ProgramCage(std::filesystem::path folder, const std::string& own = {});
  ProgramCage(const ProgramCage&) = delete;
  ProgramCage& operator=(const ProgramCage&) = delete;

  [[nodiscard]] ChildLimits limits() const;
  /// `argv` with the cage's folder for temporary files.
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& argv) const;

 private:
  std::filesystem::path folder_;
  Fd rules_;
  std::vector<sock_filter> calls_;
  sock_fprog filter_{};
};

/// run_captured() in a cage.
[[nodiscard]] Captured run_caged(const ProgramCage& cage, const std::vector<std::string>& argv,
                                 std::chrono::milliseconds limit, std::size_t most_bytes,
                                 const std::filesystem::path& folder);

}  // namespace evo::evaluators::process
