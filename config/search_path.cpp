// Where the data of an installation stands: beside bin/ or up in a source tree.
#include <filesystem>

#include "config/loader.hpp"

namespace evo::config {

SearchPath default_search_path(const std::string& executable, model::KnownNames known) {
  namespace fs = std::filesystem;
  SearchPath path;
  path.known = std::move(known);
  path.kernel_folders.push_back("kernels");
  path.experiment_folders.push_back("experiments");
  const auto add = [&](const fs::path& root) {
    path.kernel_folders.push_back((root / "kernels").lexically_normal().string());
    path.target_folders.push_back((root / "targets").lexically_normal().string());
    path.experiment_folders.push_back((root / "experiments").lexically_normal().string());
  };
  const fs::path bin = fs::path(executable).parent_path();
  add(bin / ".." / "share" / "evo");
  // A binary in build/PRESET/cli of a source tree.
  for (fs::path folder = bin; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::exists(folder / "kernels" / "common", ignored)) {
      add(folder);
      break;
    }
  }
  return path;
}

}  // namespace evo::config
