// What a run claims about its champion's neighbourhood, and what controlled comparisons say of each claim.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/joint_effects.hpp"
#include "engine/trial.hpp"
#include "model/insight.hpp"
#include "session/insight_checks.hpp"

namespace evo::session {

/// gene: one gene of the champion gets another value. pair: two do, and what they do together is more, or
/// less, than the sum of each alone. failure: candidates with these values end in one way, and with no
/// smaller part of them.
enum class ClaimKind : std::uint8_t { gene, pair, failure };
/// "gene", "pair", "failure".
[[nodiscard]] std::string_view name_of(ClaimKind kind);

struct Claim {
  /// A pair that no estimate names: what each costs alone says that it may be one, see settled().
  [[nodiscard]] bool is_suspicion() const { return kind == ClaimKind::pair && trials == 0; }

  ClaimKind kind = ClaimKind::gene;
  model::Environment values;
  double effect = 0;                 ///< gene, pair: of ln(latency), estimated together
  std::array<double, 2> interval{};  ///< of it
  std::int64_t trials = 0;           ///< correct ones with these values; failure: failed ones
  model::FailurePattern failure{};   ///< of a failure
};

/// Claims of one kind at most: more are neither tested nor on a screen.
inline constexpr std::size_t most_claims = 8;

/// The strongest of the champion's template. Effects are claimed where they are significant and beyond the
/// practical margin. `fit`: with the champion as the reference; `failures`: of any templates. Of an end that
/// none of these explains, the failed trial that is nearest to the champion gives a claim: all in which it
/// differs, to be made smaller by settled().
[[nodiscard]] std::vector<Claim> claims_of(const engine::TrialRecord& champion, const engine::JointFit& fit,
                                           std::span<const model::FailurePattern> failures,
                                           std::span<const engine::TrialRecord> trials);

/// The claims as the comparisons leave them: a failure that comes also without some of a rule's values is
/// claimed of the others alone, in the rule's place. A claim that is there twice is left out. Two changes of
/// a gene each whose costs alone have intervals that overlap are a suspicion: a pair of no trials.
[[nodiscard]] std::vector<Claim> settled(std::vector<Claim> claims, const engine::TrialRecord& champion,
                                         std::span<const engine::TrialRecord> trials,
                                         const std::vector<InsightCheck>& made);

/// The changes of the champion that decide a claim, none that the champion has already. gene: one. pair: each
/// alone, and both. failure: all values; then all but one, for each of them, which has the champion's value
/// there or, if that is the claimed one, one that `trials` have shown to be correct.
[[nodiscard]] std::vector<model::Environment> checks_of(const Claim& claim,
                                                        const engine::TrialRecord& champion,
                                                        std::span<const engine::TrialRecord> trials);

/// The next change that decides a claim and was not made: strong claims first, failures, genes and pairs in
/// turn; suspicions behind all others. nullopt when nothing is left.
[[nodiscard]] std::optional<model::Environment> next_claim_check(const std::vector<Claim>& claims,
                                                                 const engine::TrialRecord& champion,
                                                                 std::span<const engine::TrialRecord> trials,
                                                                 const std::vector<InsightCheck>& made);

/// The comparison that the run's own trials already are: one of them is the champion with these values. It
/// needs no slot. A measured latency of another moment is none; a failure is one on any device.
[[nodiscard]] std::optional<InsightCheck> known_check(std::span<const engine::TrialRecord> trials,
                                                      const engine::TrialRecord& champion,
                                                      const model::Environment& to);

/// What the comparisons say of a claim.
struct Tested {
  CheckStatus status = CheckStatus::untested;
  /// gene: flipped over champion; pair: what both do over the product of each alone. NaNs otherwise.
  evaluators::measure::RatioInterval ratio{
      std::numeric_limits<double>::quiet_NaN(),
      {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}};
  std::size_t comparisons = 0, pairs = 0;  ///< that were made for it; pairs of samples in all
  std::string found;                       ///< failure: how the flipped one ended
};
/// confirmed: the ratio lies beyond the practical margin on the claimed side, for certain; the rule's end
/// comes with all its values and with no part of them. refuted: it does not. inconclusive: neither is
/// certain, or a flip cannot be timed. untested: a comparison is missing.
[[nodiscard]] Tested test_of(const Claim& claim, const engine::TrialRecord& champion,
                             std::span<const engine::TrialRecord> trials,
                             const std::vector<InsightCheck>& made);

}  // namespace evo::session
