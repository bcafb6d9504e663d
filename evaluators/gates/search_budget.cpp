#include "evaluators/gates/search_budget.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::evaluators::gates {

void SearchBudget::charge(const devices::Outcome<devices::LaunchReport>& outcome) {
  constexpr std::uint64_t share = 64;
  left_ -= std::min(left_, outcome ? outcome->thread_instructions : all_ / share + 1);
}

void SearchBudget::tell(std::vector<model::Evidence>& never) const {
  for (model::Evidence& entry : never) {
    entry.message += fmt::format(
        " The search for a launch that runs it ended after {} million thread instructions, before all shapes "
        "and input sets had been tried.",
        all_ / 1'000'000);
    entry.details.emplace_back("search", "ended early");
  }
}

}  // namespace evo::evaluators::gates
