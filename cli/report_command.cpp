// evo report RUN [RUN...]: the page of one or more runs, or its data. Needs neither NVRTC nor a device.
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/document.hpp"
#include "report/page.hpp"
#include "report/snapshot.hpp"
#include "session/run_folder.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {
namespace {

constexpr std::chrono::milliseconds between_looks{500};

/// What the page's own card is made of, so that both say the same.
void write_card(const ReportOptions& wanted, bool quiet) {
  if (wanted.runs.size() != 1)
    throw model::Exception(model::ExitCode::usage, "--card shows one run; name one RUN");
  const auto document = report::document_of(wanted.runs, {});
  const auto& card = document.at("runs").as_array().front().at("card").as_string();
  session::write_file_atomically(wanted.card, std::string(card));
  if (!quiet) fmt::print(stderr, "evo: wrote {}\n", wanted.card);
}

}  // namespace

int report_command(const Options& options) {
  const ReportOptions& wanted = options.report;
  if (!wanted.card.empty()) {
    write_card(wanted, options.common.quiet);
    if (wanted.output.empty() && !options.common.json) return 0;
  }
  if (options.common.json) {
    terminal::print_json(report::document_of(wanted.runs, wanted.benches));
    return 0;
  }
  const std::string output = wanted.output.empty() ? "report.html" : wanted.output;
  const std::stop_token stop = wanted.watch ? stop_on_signals([](const std::string&) {}) : std::stop_token();
  report::Remembered remembered;
  for (;;) {
    // Asked before the ledgers are read: what a run does after that brings another round.
    const auto written = report::last_written(wanted.runs);
    const bool held = report::any_held(wanted.runs);
    session::write_file_atomically(
        output, report::page_of(report::document_of(wanted.runs, wanted.benches, &remembered)));
    if (!wanted.watch || !held) break;
    while (!stop.stop_requested() && report::any_held(wanted.runs) &&
           report::last_written(wanted.runs) == written)
      std::this_thread::sleep_for(between_looks);
    if (stop.stop_requested()) break;
  }
  if (!options.common.quiet) fmt::print(stderr, "evo: wrote {}\n", output);
  return 0;
}

}  // namespace evo::cli
