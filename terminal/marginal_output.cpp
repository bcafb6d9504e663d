#include "terminal/marginal_output.hpp"

#include <fmt/format.h>

#include "terminal/failure_counts.hpp"
#include "terminal/text_output.hpp"

namespace evo::terminal {

std::string marginal_text(const std::vector<model::Insights>& insights,
                          const std::vector<engine::TrialRecord>& trials) {
  std::string text = fmt::format("\nmarginal effects, one gene at a time\n{}", insights_text(insights));
  const std::string failed = failure_counts_text(trials);
  const bool explained = !insights.empty() && !insights.back().failures.empty();
  if (!failed.empty())
    text += fmt::format("  {}{}", failed,
                        explained ? "" : "  no value of a gene goes with them often enough to say more\n");
  if (failed.empty() && !insights.empty()) text += "  no trial failed\n";
  return text;
}

}  // namespace evo::terminal
