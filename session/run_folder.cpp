#include "session/run_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "config/nearest.hpp"
#include "session/load.hpp"

namespace evo::session {
namespace fs = std::filesystem;

fs::path new_run_path(const std::string& experiment_name) {
  std::random_device device;
  const std::time_t now = std::time(nullptr);
  return fs::path("runs") /
         fmt::format("{}-{:%Y%m%d-%H%M%S}-{:04x}", experiment_name, fmt::gmtime(now), device() & 0xffffU);
}

void write_file_atomically(const fs::path& file, const std::string& text) {
  const fs::path temporary = file.string() + ".new";
  const auto fail = [&](const char* what) {
    const int error = errno;
    ::unlink(temporary.c_str());
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("{} cannot be written ({}): {}", file.string(), what, std::strerror(error)));
  };
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail("open");
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      ::close(descriptor);
      errno = error;
      fail("write");
    }
    done += static_cast<std::size_t>(count);
  }
  const bool synced = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (!synced) fail("fsync");
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail("rename");
}

RunFolder create_run(const fs::path& path) {
  RunFolder folder{path};
  std::error_code error;
  if (fs::exists(folder.ledger(), error)) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{0} already holds a run; continue it with: evo resume {0}", path.string()));
  }
  folder.made = fs::create_directories(path, error);
  if (error) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("the run folder {} cannot be created: {}", path.string(), error.message()));
  }
  return folder;
}

model::Exception no_run_folder(const fs::path& path, const std::string& lacks) {
  std::error_code ignored;
  const auto runs_in = [&](const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
      if (fs::exists(RunFolder{entry.path()}.ledger(), ignored))
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  std::string why;
  if (fs::is_directory(path, ignored)) {
    why = fmt::format(" is no run folder: it has no {}", lacks);
    if (!runs_in(path).empty()) why += fmt::format("; 'evo runs {}' lists those in it", path.string());
  } else if (fs::exists(path, ignored)) {
    why = " is no run folder: it is a file";
  } else {
    why = " is no run folder: there is nothing of that name";
    const fs::path whole = path.filename().empty() ? path.parent_path() : path;  // "runs/a/"
    if (const auto near = config::nearest(whole.filename().string(), runs_in(whole.parent_path())))
      why += fmt::format(" (did you mean '{}'?)", (whole.parent_path() / *near).string());
  }
  return {model::ExitCode::usage, path.string() + why};
}

OpenedRun open_run(const std::string& path) {
  OpenedRun run;
  run.folder.path = path;
  std::error_code ignored;
  if (!fs::exists(run.folder.ledger(), ignored) || !fs::exists(run.folder.experiment(), ignored)) {
    throw no_run_folder(path, "experiment.yaml and ledger.sqlite");
  }
  run.experiment = load_experiment_or_throw(run.folder.experiment().string(), {});
  return run;
}

}  // namespace evo::session
