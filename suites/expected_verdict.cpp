#include "suites/expected_verdict.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "model/hash.hpp"

namespace evo::suites {
namespace {

constexpr double most_missed = 0.05;

/// The ladder's gates in order; what judges the loop stands behind them.
constexpr std::array<std::string_view, 7> gates_in_order{"legality",    "compile", "resources", "sanitize",
                                                         "correctness", "latency", "profile"};

std::size_t place_of(const std::string& gate) {
  return static_cast<std::size_t>(std::find(gates_in_order.begin(), gates_in_order.end(), gate) -
                                  gates_in_order.begin());
}

}  // namespace

void judge(const Attack& attack, AttackAttempt& attempt) {
  const bool passed = attempt.gate.empty();
  if (attack.verdict == AttackVerdict::accept) {
    attempt.outcome = passed ? "accepted" : "REFUSED, BUT RIGHT";
    attempt.as_expected = passed;
  } else if (attack.verdict == AttackVerdict::missed) {
    attempt.outcome = passed ? "missed" : "caught, though expected to be missed";
    attempt.as_expected = passed;
  } else if (passed) {
    attempt.outcome = "NOT CAUGHT";
  } else if (attempt.gate == attack.gate) {
    const bool reason =
        std::any_of(attack.reasons.begin(), attack.reasons.end(),
                    [&](const std::string& wanted) { return wanted == "*" || wanted == attempt.reason; });
    attempt.outcome = reason ? "caught" : "CAUGHT FOR ANOTHER REASON";
    attempt.as_expected = reason;
  } else {
    attempt.as_expected = attack.is_kernel() && place_of(attempt.gate) < place_of(attack.gate);
    attempt.outcome = attempt.as_expected ? "caught earlier" : "CAUGHT BY A LATER GATE";
  }
}

bool depends_on_inputs(const AttackRow& row) {
  const std::string& gate = row.attempts.front().gate;
  return row.attack.is_kernel() && (gate.empty() || place_of(gate) > place_of("resources"));
}

std::uint64_t seed_of(std::uint64_t entropy, int k) {
  if (k == 0) return entropy;
  std::uint64_t seed = 0;
  const std::string hex = model::sha256(fmt::format("input seed {} of {}", k, entropy)).substr(0, 15);
  std::from_chars(hex.data(), hex.data() + hex.size(), seed, 16);
  return seed;
}

bool good(const AttackTotals& totals, bool bugs, bool part) {
  const bool few_missed = bugs || part || totals.missed <= most_missed * totals.attacks;
  return totals.unexpected == 0 && few_missed;
}

}  // namespace evo::suites
