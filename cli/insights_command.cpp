// evo insights RUN: needs neither NVRTC nor a device.
#include <fmt/format.h>

#include "cli/failure_counts.hpp"
#include "cli/json_output.hpp"
#include "cli/text_output.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/insights_plot.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::cli {

namespace {

void write_plot(const InsightsOptions& wanted, const engine::Ledger& ledger,
                const std::vector<model::Insights>& insights) {
  if (!wanted.plot.ends_with(".svg"))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--plot {}: the plot is SVG; name a file that ends in .svg", wanted.plot));
  const auto meta = ledger.meta();
  report::InsightsOf of{wanted.run, "modelled", "no GPU has timed this"};
  if (meta && meta->latency_kind != model::LatencyKind::modelled)
    of = {wanted.run, std::string(model::name_of(meta->latency_kind)), "on " + meta->device_name};
  session::write_file_atomically(wanted.plot, report::insights_svg(insights, of));
}

}  // namespace

int insights_command(const Options& options) {
  const auto ledger = session::open_ledger_for_reading(session::RunFolder{options.insights.run});
  const std::vector<model::Insights> insights = ledger->insights();
  if (!options.insights.plot.empty()) write_plot(options.insights, *ledger, insights);
  if (options.common.json) {
    boost::json::object document = insights_to_json(insights);
    document["failed_trials"] = failure_counts_json(ledger->trials());
    print_json(document);
  } else {
    fmt::print("{}", insights_text(insights));
    const std::string failed = failure_counts_text(ledger->trials());
    const bool explained = !insights.empty() && !insights.back().failures.empty();
    if (!failed.empty())
      fmt::print("  {}{}", failed,
                 explained ? "" : "  no value of a gene goes with them often enough to say more\n");
    if (failed.empty() && !insights.empty()) fmt::print("  no trial failed\n");
  }
  return 0;
}

}  // namespace evo::cli
