// evo: parses, dispatches, and maps what went wrong to the documented exit codes.
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

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
});

int dispatch(const Options& options) {
  for (const Verb& verb : verbs) {
    if (verb.name == options.verb) return verb.run(options);
  }
  throw evo::model::Exception(evo::model::ExitCode::usage, fmt::format("unknown verb {}", options.verb));
}

}  // namespace

int main(int argc, char** argv) try {
  // A full disk or a reader that went away is an error of a write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const evo::cli::ParseResult parsed = evo::cli::parse_arguments(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  return dispatch(parsed.options);
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo: {}\n", error.what());
  return static_cast<int>(error.code());
} catch (const std::exception& error) {
  fmt::print(stderr, "evo: {}\n", error.what());
  return static_cast<int>(evo::model::ExitCode::failed);
}
