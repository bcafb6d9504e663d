#include "cli/bench_attacks.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "suites/runner.hpp"
#include "terminal/attack_table.hpp"

namespace evo::cli {

int bench_attacks(const terminal::CommonOptions& common, const AttackOptions& options) {
  suites::SuiteRequest request;
  request.bugs = options.bugs;
  request.folder = options.folder;
  request.only = options.only;
  if (!options.share.empty()) request.share = suites::parse_share(options.share);
  request.device = options.device;
  request.threads = options.threads;
  request.seeds = options.seeds;
  request.input_seed = options.input_seed;
  session::Tell tell;
  if (options.seeds > 1 && !common.quiet)
    tell = [](const std::string& line) { fmt::print(stderr, "evo: {}\n", line); };
  const suites::SuiteReport report = suites::run_suite(request, tell);
  if (common.json) {
    terminal::print_attack_json(report.rows, report.seeds, report.device);
  } else {
    terminal::print_attack_text(report.rows, report.seeds, report.device, options.bugs ? "bug" : "attack");
  }
  return static_cast<int>(report.as_it_should_be ? model::ExitCode::done
                                                 : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
