#include "intake/repository_headers.hpp"

#include <algorithm>
#include <iterator>

namespace evo::intake {
namespace {

namespace fs = std::filesystem;

// Entries of a repository that are looked at: a large one has some 100,000, and takes a second.
constexpr int most_entries = 200'000;

bool is_header(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".hpp" || extension == ".cuh" || extension == ".inl" ||
         extension == ".inc" || extension == ".hh" || extension == ".hxx" || extension == ".cu";
}

/// Folders that both paths have in common, from the root on.
std::ptrdiff_t common_folders(const fs::path& one, const fs::path& other) {
  const auto [end, ignored] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return std::distance(one.begin(), end);
}

bool ends_in(const fs::path& path, const fs::path& name) {
  const std::string text = path.generic_string();
  return text.ends_with("/" + name.lexically_normal().generic_string());
}

}  // namespace

RepositoryHeaders::RepositoryHeaders(const fs::path& folder) : folder_(folder) {
  fs::path top = folder;
  std::error_code ignored;
  while (!fs::exists(top / ".git", ignored)) {
    if (top == top.root_path() || top.empty()) return;
    top = top.parent_path();
  }
  int entries = 0;
  auto it = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied, ignored);
  for (; it != fs::recursive_directory_iterator() && entries < most_entries; it.increment(ignored)) {
    if (ignored) return;
    ++entries;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored)) {
      if (name.starts_with(".")) it.disable_recursion_pending();
    } else if (is_header(it->path())) {
      files_[name].push_back(it->path());
    }
  }
}

std::optional<fs::path> RepositoryHeaders::header(const fs::path& name) const {
  const auto named = files_.find(name.filename().string());
  if (named == files_.end()) return std::nullopt;
  std::optional<fs::path> nearest;
  std::ptrdiff_t shared = -1;
  bool tie = false;
  for (const fs::path& path : named->second) {
    if (!ends_in(path, name)) continue;
    const std::ptrdiff_t common = common_folders(path, folder_);
    tie = common == shared || (tie && common < shared);
    if (common <= shared) continue;
    shared = common;
    nearest = path;
  }
  return tie ? std::nullopt : nearest;
}

}  // namespace evo::intake
