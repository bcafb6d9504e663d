#include "suites/results.hpp"

#include <algorithm>

namespace evo::suites {

const AttackAttempt& AttackRow::shown() const {
  static const AttackAttempt nothing{0, {}, {}, {}, "not run: needs a GPU", true, 0};
  if (attempts.empty()) return nothing;
  const auto found = std::find_if(attempts.begin(), attempts.end(),
                                  [](const AttackAttempt& attempt) { return !attempt.as_expected; });
  return found == attempts.end() ? attempts.front() : *found;
}

bool AttackRow::as_expected() const {
  return shown().as_expected;
}

int AttackRow::expected_seeds(int seeds) const {
  if (!seed_counts || attempts.empty()) return as_expected() ? seeds : 0;
  return static_cast<int>(std::count_if(attempts.begin(), attempts.end(),
                                        [](const AttackAttempt& attempt) { return attempt.as_expected; }));
}

AttackTotals count(const std::vector<AttackRow>& rows) {
  AttackTotals totals;
  for (const AttackRow& row : rows) {
    const AttackAttempt& shown = row.shown();
    totals.unexpected += shown.as_expected ? 0 : 1;
    if (row.attack.verdict == AttackVerdict::accept) {
      ++totals.controls;
      totals.accepted += shown.gate.empty() ? 1 : 0;
      continue;
    }
    ++totals.attacks;
    if (row.not_run) {
      ++totals.not_run;
    } else if (shown.gate.empty()) {
      ++totals.missed;
    } else {
      ++totals.caught;
      ++totals.by_gate[shown.gate];
    }
  }
  return totals;
}

}  // namespace evo::suites
