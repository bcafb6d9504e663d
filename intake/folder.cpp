#include "intake/folder.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "model/error.hpp"
#include "session/run_folder.hpp"

namespace evo::intake {
namespace fs = std::filesystem;

namespace {

void refuse_existing(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error))
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} is there already; --force overwrites it", file.string()));
}

}  // namespace

void check_free(const fs::path& folder) {
  refuse_existing(folder / "problem.yaml");
}

WrittenFolder write_folder(const Draft& draft, const fs::path& folder, bool force) {
  const ProblemText text = problem_text(draft);
  std::vector<DraftFile> files{{"problem.yaml", text.problem}, {"experiment.yaml", text.experiment}};
  files.insert(files.end(), draft.files.begin(), draft.files.end());
  std::error_code error;
  for (const DraftFile& file : files) {
    if (!force) refuse_existing(folder / file.name);
  }
  fs::create_directories(folder, error);
  if (error)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("the folder {} cannot be made: {}", folder.string(), error.message()));
  WrittenFolder written{folder, {}, text.todos};
  for (const DraftFile& file : files) {
    fs::create_directories((folder / file.name).parent_path(), error);
    session::write_file_atomically(folder / file.name, file.text);
    written.files.push_back(file.name);
  }
  return written;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "evo-problem-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("no folder can be made in {}", fs::temp_directory_path().string()));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace evo::intake
