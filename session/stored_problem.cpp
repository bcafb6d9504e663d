#include "session/stored_problem.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/loader.hpp"
#include "model/error.hpp"
#include "session/load.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;

/// Each once, in the order in which they are looked at; two words for one folder are one.
std::vector<std::string> folders_of(const exporting::StoredKernel& stored) {
  std::vector<std::string> folders, whole;
  for (const std::string& folder : {stored.problem_folder, stored.problem_path}) {
    if (folder.empty()) continue;
    std::string from_root = exporting::folder_from_root(folder);
    if (std::ranges::find(whole, from_root) != whole.end()) continue;
    whole.push_back(std::move(from_root));
    folders.push_back(folder);
  }
  return folders;
}

bool is_there(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / "problem.yaml", ignored);
}

}  // namespace

std::string note_on_problem(const exporting::StoredKernel& stored, const std::string& file,
                            const model::Problem& problem) {
  if (stored.problem_hash.empty() || stored.problem_hash == problem.content_hash) return {};
  return fmt::format(
      "{}: the problem {} ({}) has changed since the kernel was stored: its problem.yaml, a source or a "
      "reference. The kernel's own source is the stored one; all else is today's",
      file, problem.name, problem.folder);
}

FoundProblem find_problem_of(const exporting::StoredKernel& stored, const std::string& file) {
  std::optional<model::Problem> changed;
  const auto is_it = [&](model::Problem& problem) {
    if (stored.problem_hash.empty() || problem.content_hash == stored.problem_hash) return true;
    if (!changed) changed = std::move(problem);
    return false;
  };
  const std::vector<std::string> folders = folders_of(stored);
  for (const std::string& folder : folders) {
    if (!is_there(folder)) continue;
    model::Problem problem = load_problem_or_throw(folder);
    if (is_it(problem)) return {std::move(problem), {}};
  }
  // One that evo ships, or that stands below the working directory.
  if (config::load_problem(stored.problem, search_path())) {
    model::Problem problem = load_problem_or_throw(stored.problem);
    if (is_it(problem)) return {std::move(problem), {}};
  }
  if (changed) {
    std::string note = note_on_problem(stored, file, *changed);
    return {std::move(*changed), std::move(note)};
  }
  const std::string stood = folders.empty() ? "where it stood is not stored"
                                            : fmt::format("it stood in {}, and is not there any more",
                                                          fmt::join(folders, ", and in "));
  throw model::Exception(model::ExitCode::usage,
                         fmt::format("{}: its problem {} is not found: {}; --problem FOLDER says where it is",
                                     file, stored.problem, stood));
}

}  // namespace evo::session
