// evo: parses, dispatches, and maps what went wrong to the documented exit codes.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include <malloc.h>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"

namespace {

using evo::cli::Options;

struct Verb {
  std::string_view name;
  int (*run)(const Options&);
};

constexpr auto verbs = std::to_array<Verb>({
    {"run", evo::cli::run_command},
    {"new", evo::cli::new_command},
    {"tune", evo::cli::tune_command},
    {"import", evo::cli::import_command},
    {"resume", evo::cli::resume_command},
    {"replay", evo::cli::replay_command},
    {"lineage", evo::cli::lineage_command},
    {"show", evo::cli::show_command},
    {"insights", evo::cli::insights_command},
    {"report", evo::cli::report_command},
    {"serve", evo::cli::serve_command},
    {"watch", evo::cli::watch_command},
    {"runs", evo::cli::runs_command},
    {"export", evo::cli::export_command},
    {"validate", evo::cli::validate_command},
    {"check", evo::cli::check_command},
    {"bench", evo::cli::bench_command},
    {"compare", evo::cli::compare_command},
    {"baseline", evo::cli::baseline_command},
    {"characterize", evo::cli::characterize_command},
    {"profile", evo::cli::profile_command},
    {"diagnose", evo::cli::diagnose_command},
    {"doctor", evo::cli::doctor_command},
    {"cache", evo::cli::cache_command},
    {"farm", evo::cli::farm_command},
    {"worker", evo::cli::worker_command},
    {"compile-worker", evo::cli::compile_worker_command},
    {"launch-job", evo::cli::launch_job_command},
    {"comparator-job", evo::cli::comparator_job_command},
});

int dispatch(const Options& options) {
  for (const Verb& verb : verbs) {
    if (verb.name == options.verb) return verb.run(options);
  }
  throw evo::model::Exception(evo::model::ExitCode::usage, fmt::format("unknown verb {}", options.verb));
}

/// The exit code of a verb that has ended with `code`: what stands in the buffer of stdout still has to be
/// written, and a script must not take half of a document for the whole. A reader that went away had enough.
int with_all_written(int code) {
  errno = 0;
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written || errno == EPIPE || errno == EBADF) return code;
  fmt::print(stderr, "evo: stdout cannot be written: {}\n",
             errno == 0 ? "an earlier write failed" : std::strerror(errno));
  return code == 0 ? static_cast<int>(evo::model::ExitCode::environment) : code;
}

}  // namespace

int main(int argc, char** argv) try {
  // A full disk or a reader that went away is an error of a write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // Every launch on the virtual device takes its arrays and gives them back: glibc would return the pages to
  // the kernel each time, and clearing them anew took half of the CPU time of small runs.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  const evo::cli::ParseResult parsed = evo::cli::parse_arguments(argc, argv);
  if (parsed.exit_code) return with_all_written(*parsed.exit_code);
  return with_all_written(dispatch(parsed.options));
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo: {}\n", error.what());
  return static_cast<int>(error.code());
} catch (const std::system_error& error) {
  const bool output = std::ferror(stdout) != 0;
  if (output && error.code() == std::errc::broken_pipe) return 0;  // a reader that had enough
  fmt::print(stderr, "evo: {}\n", error.what());
  const bool full = output || error.code() == std::errc::no_space_on_device;
  return static_cast<int>(full ? evo::model::ExitCode::environment : evo::model::ExitCode::failed);
} catch (const std::exception& error) {
  fmt::print(stderr, "evo: {}\n", error.what());
  return static_cast<int>(evo::model::ExitCode::failed);
}
