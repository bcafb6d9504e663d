// evo insights RUN: needs neither NVRTC nor a device.
#include <fmt/format.h>

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
    print_json(insights_to_json(insights));
  } else {
    fmt::print("{}", insights_text(insights));
  }
  return 0;
}

}  // namespace evo::cli
