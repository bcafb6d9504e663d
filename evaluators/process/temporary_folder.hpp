// A folder for processes that this process starts.
#pragma once

#include <filesystem>
#include <string>

#include "evaluators/process/fd.hpp"

namespace evo::evaluators::process {

/// Its owner alone can read it; gone with this object. What processes that were killed have left under the
/// same name is removed when the next one is made.
class TemporaryFolder {
 public:
  /// In the system's folder for such things, with a name that begins with `name`. Throws
  /// model::Exception(environment) when it cannot be made.
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
  Fd lock_;  ///< as long as it is held, the folder has an owner
};

}  // namespace evo::evaluators::process
