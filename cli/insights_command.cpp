// evo insights RUN: needs neither NVRTC nor a device.
#include <fmt/format.h>

#include "cli/failure_counts.hpp"
#include "cli/json_output.hpp"
#include "cli/text_output.hpp"
#include "cli/verbs.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::cli {

int insights_command(const Options& options) {
  const auto ledger = session::open_ledger_for_reading(session::RunFolder{options.insights.run});
  const std::vector<model::Insights> insights = ledger->insights();
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
