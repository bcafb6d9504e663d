// A draft as a folder of files that config reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/problem_text.hpp"

namespace evo::intake {

struct WrittenFolder {
  std::filesystem::path folder;
  std::vector<std::string> files;  ///< their names, in the order written
  std::vector<Todo> todos;
};

/// Throws model::Exception (usage) where the folder has a problem.yaml: before a draft is made, which takes a
/// while.
void check_free(const std::filesystem::path& folder);

/// Makes the folder and writes problem.yaml, experiment.yaml and the draft's files. Throws model::Exception:
/// (usage) where a file is there already and `force` is false, naming it; (environment) where it cannot be
/// written.
[[nodiscard]] WrittenFolder write_folder(const Draft& draft, const std::filesystem::path& folder, bool force);

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace evo::intake
