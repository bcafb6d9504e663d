// Headers of a repository by the names that files include them with, wherever in it they lie.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evo::intake {

/// Reads the folders of the repository once: of the nearest folder above `folder` that has .git. Without one
/// nothing is found.
class RepositoryHeaders {
 public:
  explicit RepositoryHeaders(const std::filesystem::path& folder);

  /// The file whose path ends in `name`; of several the one nearest to the folder, and nothing where two are
  /// equally near.
  [[nodiscard]] std::optional<std::filesystem::path> header(const std::filesystem::path& name) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::filesystem::path>> files_;  ///< by their last name
};

}  // namespace evo::intake
