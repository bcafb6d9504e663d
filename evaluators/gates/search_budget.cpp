#include "evaluators/gates/search_budget.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::evaluators::gates {

void SearchBudget::charge(const devices::Outcome<devices::LaunchReport>& outcome) {
  constexpr std::uint64_t share = 64;
  last_ = outcome ? outcome->thread_instructions : all_ / share + 1;
  left_ -= std::min(left_ - std::min(left_, kept_), last_);
}

void SearchBudget::keep_back(unsigned sixteenths) {
  ended_ = ended();
  kept_ = all_ / 16 * sixteenths;
  last_ = 0;
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
