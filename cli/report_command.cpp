// evo report RUN [RUN...]: the page of one or more runs, or its data. Needs neither NVRTC nor a device.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "cli/json_output.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "report/document.hpp"
#include "report/page.hpp"
#include "report/run_view.hpp"
#include "session/run_folder.hpp"

namespace evo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds between_looks{500};

/// When any of the ledgers was written last; what cannot be asked counts as never.
fs::file_time_type last_written(const std::vector<std::string>& runs) {
  fs::file_time_type newest = fs::file_time_type::min();
  for (const std::string& run : runs) {
    std::error_code error;
    const auto time = fs::last_write_time(session::RunFolder{run}.ledger(), error);
    if (!error) newest = std::max(newest, time);
  }
  return newest;
}

bool any_held(const std::vector<std::string>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const std::string& run) { return report::is_held(run); });
}

}  // namespace

int report_command(const Options& options) {
  const ReportOptions& report = options.report;
  if (options.common.json) {
    print_json(report::document_of(report.runs, report.benches));
    return 0;
  }
  const std::string output = report.output.empty() ? "report.html" : report.output;
  const std::stop_token stop = report.watch ? stop_on_signals() : std::stop_token();
  for (;;) {
    // Asked before the ledgers are read: what a run does after that brings another round.
    const fs::file_time_type written = last_written(report.runs);
    const bool held = any_held(report.runs);
    session::write_file_atomically(output, report::page_of(report::document_of(report.runs, report.benches)));
    if (!report.watch || !held) break;
    while (!stop.stop_requested() && any_held(report.runs) && last_written(report.runs) == written)
      std::this_thread::sleep_for(between_looks);
    if (stop.stop_requested()) break;
  }
  if (!options.common.quiet) fmt::print(stderr, "evo: wrote {}\n", output);
  return 0;
}

}  // namespace evo::cli
